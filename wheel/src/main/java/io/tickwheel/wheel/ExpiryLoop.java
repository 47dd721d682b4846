package io.tickwheel.wheel;

import java.util.Collection;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Takes what is due out of the stripes and hands it over. Run by one thread at a time, the driver's.
 *
 * <p>It sleeps until the earliest {@link Stripe#nextTick}, which it publishes as the {@link WakeTick}.
 */
final class ExpiryLoop implements ExpiryDriver.Expiry {
    /** How much is taken out of a stripe under its lock. */
    static final int BATCH = 64;

    // Batches of each stripe in one call.
    private static final int ROUNDS = 64;

    private final TimerCore core;
    private final Lifecycle lifecycle;
    private final WakeTick wakeTick;
    private final TickClock ticks;
    private final Stripe[] stripes;
    private final @Nullable Executor executor;
    private final RejectionPolicy onRejection;

    // What comes after a step for which stack or memory was short: long enough for a collection, or for the caller to
    // return.
    private static final long PAUSE_NANOS = 1_000_000;

    // What was taken out of a stripe and not handed over yet, from the start of the array on.
    private final TimerNode[] batch = new TimerNode[BATCH];
    private int batchSize;
    private int batchHanded;

    // Odd while the loop runs.
    private final AtomicInteger phase = new AtomicInteger();
    private volatile @Nullable Thread runner;
    private boolean asleep = true;
    private boolean paused;
    final ExpiryCounters counters = new ExpiryCounters();

    ExpiryLoop(
            TimerCore core,
            Lifecycle lifecycle,
            Stripe[] stripes,
            @Nullable Executor executor,
            RejectionPolicy onRejection) {
        this.core = core;
        this.lifecycle = lifecycle;
        this.wakeTick = core.wakeTick;
        this.ticks = core.ticks;
        this.stripes = stripes;
        this.executor = executor;
        this.onRejection = onRejection;
    }

    /**
     * Returns a number that is odd while the loop runs and changes whenever it starts or ends: when it is even, and the
     * same before a look at the stripes and after it, nothing was in the hands of the loop meanwhile.
     */
    int phase() {
        return phase.get();
    }

    @Override
    public boolean isTerminated() {
        return lifecycle.isTerminated();
    }

    /*
     * Stack or memory may be short here as anywhere, in a driver that calls this from deep inside, or with a full heap. The wheels are
     * whole then, what was taken out is in the batch, and the next call goes on: nothing is lost but a moment.
     */
    @Override
    public long expireDue() {
        try {
            StackReserve.touchForSteps();
        } catch (StackOverflowError tooDeep) {
            return PAUSE_NANOS;
        }
        long nanos;
        phase.incrementAndGet();
        runner = Thread.currentThread();
        try {
            nanos = expire();
        } finally {
            runner = null;
            phase.incrementAndGet();
        }
        try {
            lifecycle.noteIdle();
        } catch (StackOverflowError | OutOfMemoryError scarce) {
            return PAUSE_NANOS;
        }
        return nanos;
    }

    private long expire() {
        wakeTick.awake();
        if (asleep) {
            counters.wokenUp();
        }
        try {
            handOver();
            long nanos = expireUntilAsleep();
            asleep = !wakeTick.isAwake();
            if (asleep) {
                counters.idle();
            }
            paused = false;
            // A wake-up that came since may be spent already, on a lock.
            return wakeTick.isAwake() ? 0 : nanos;
        } catch (StackOverflowError | OutOfMemoryError scarce) {
            wakeTick.awake();
            asleep = false;
            tellOfPause(scarce);
            return PAUSE_NANOS;
        } catch (Throwable unexpected) {
            wakeTick.sleepTo(Long.MAX_VALUE);
            lifecycle.fail(unexpected);
            return Long.MAX_VALUE;
        }
    }

    private void tellOfPause(Error scarce) {
        if (!paused) {
            paused = true;
            LoggingListener.expiryPaused(core.name(), scarce);
        }
    }

    /** Returns how long there is nothing to do; 0, awake, when it has done enough for one call. */
    private long expireUntilAsleep() {
        for (int rounds = 0; rounds < ROUNDS; rounds++) {
            if (expireAll(ticks.tickAt(ticks.elapsedNanos())) || prepareSome()) {
                continue;
            }
            long next = nextTick();
            wakeTick.sleepTo(next);
            if (nextTick() < next) {
                wakeTick.awake();
                continue;
            }
            return next == Long.MAX_VALUE ? next : Math.max(0, ticks.nanosOf(next) - ticks.elapsedNanos());
        }
        return 0;
    }

    boolean isRunBy(Thread thread) {
        return runner == thread;
    }

    /** Takes a step towards what is due later, and returns whether there was one to take. */
    private boolean prepareSome() {
        boolean some = false;
        for (Stripe stripe : stripes) {
            if (stripe.hasAhead()) {
                stripe.prepare();
                some = true;
            }
        }
        return some;
    }

    private boolean expireAll(long nowTick) {
        boolean some = false;
        // The last tick of all means never.
        long dueTick = Math.min(nowTick, Long.MAX_VALUE - 1);
        for (Stripe stripe : stripes) {
            if (stripe.nextTick() <= dueTick) {
                try {
                    stripe.expire(dueTick, batch);
                } finally {
                    handOver();
                }
                some = true;
            }
        }
        return some;
    }

    /** Hands over what is in the batch; what a call before has not come to, too. */
    private void handOver() {
        if (batchSize == 0) {
            int size = 0;
            while (size < BATCH && batch[size] != null) {
                size++;
            }
            if (size == 0) {
                return;
            }
            counters.expired(batch, size, ticks);
            releaseEnded(size);
            batchSize = size;
        }
        while (batchHanded < batchSize) {
            try {
                handOver(batch[batchHanded]);
            } finally {
                batch[batchHanded++] = null;
            }
        }
        batchHanded = 0;
        batchSize = 0;
    }

    private void releaseEnded(int size) {
        if (core.permits == null) {
            return;
        }
        int ended = 0;
        for (int i = 0; i < size; i++) {
            ended += batch[i].repeats() ? 0 : 1;
        }
        core.permits.release(ended);
    }

    private void handOver(TimerNode node) {
        if (executor == null) {
            node.run();
            // What a task does to its thread is not to reach the next one.
            Thread.interrupted();
            return;
        }
        try {
            executor.execute(node);
        } catch (Throwable refusal) {
            try {
                core.countRejection();
            } finally {
                onRejected(node, refusal);
            }
        }
    }

    private void onRejected(TimerNode node, Throwable refusal) {
        switch (onRejection) {
            case FAIL -> node.reject(refusal);
            case RUN_ON_EXPIRY_THREAD -> {
                // The executor may have run it, and then thrown.
                if (!node.stripe.holds(node)) {
                    node.run();
                }
            }
            case RETRY -> {
                if (!retry(node)) {
                    node.reject(refusal);
                }
            }
        }
    }

    private boolean retry(TimerNode node) {
        long elapsed = ticks.elapsedNanos();
        try {
            return node.stripe.retry(node, ticks.tickAt(elapsed) + 1, elapsed);
        } catch (StackOverflowError | OutOfMemoryError scarce) {
            return false;
        }
    }

    /** Adds what was taken out last, started or not. */
    void addBatchTo(Collection<TimerNode> nodes) {
        for (TimerNode node : batch) {
            if (node != null) {
                nodes.add(node);
            }
        }
    }

    boolean hasExecutor() {
        return executor != null;
    }

    private long nextTick() {
        long next = Long.MAX_VALUE;
        for (Stripe stripe : stripes) {
            next = Math.min(next, stripe.nextTick());
        }
        return next;
    }
}
