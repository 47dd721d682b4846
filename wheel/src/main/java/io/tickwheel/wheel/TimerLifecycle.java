package io.tickwheel.wheel;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * How the parts of a {@link WheelTimer} begin and end: its stripes, the loop over them and the driver of the loop. Any thread may call
 * this, but for {@link #fail}.
 */
final class TimerLifecycle implements Lifecycle {
    /*
     *     open --the first schedule--> started --shutdown--> closing --each stripe refuses--> closed --nothing pending--> terminated
     */
    private static final int TAKEN_TOGETHER = 1024;

    private final TimerCore core;
    private final Stripe[] stripes;
    private final ExpiryLoop loop;
    private final ExpiryDriver driver;
    private final Runnable onTerminated;

    // Several threads may see that nothing is left; one of them ends the timer.
    private final AtomicBoolean terminating = new AtomicBoolean();
    private final CountDownLatch terminated = new CountDownLatch(1);
    private volatile boolean started;
    // No driver is started any more.
    private volatile boolean closing;
    private volatile @Nullable Throwable failure;

    TimerLifecycle(TimerSettings settings, Runnable onTerminated) {
        this.onTerminated = onTerminated;
        core = new TimerCore(settings, this);
        stripes = new Stripe[settings.stripes()];
        for (int i = 0; i < stripes.length; i++) {
            stripes[i] = new Stripe(core);
        }
        loop = new ExpiryLoop(core, this, stripes, settings.executor(), settings.onRejection());
        driver = settings.driver();
    }

    TimerCore core() {
        return core;
    }

    Stripe[] stripes() {
        return stripes;
    }

    ExpiryLoop loop() {
        return loop;
    }

    boolean isStarted() {
        return started;
    }

    /** Starts the driver, once; false if the timer was closed before. */
    synchronized boolean start() {
        if (closing) {
            return false;
        }
        if (!started) {
            StackReserve.touch();
            driver.start(loop);
            started = true;
        }
        return true;
    }

    @Override
    public void wake() {
        driver.wake(loop);
    }

    StripeTotals totals() {
        StripeTotals totals = StripeTotals.NONE;
        for (Stripe stripe : stripes) {
            totals = totals.plus(stripe.totals());
        }
        return totals;
    }

    /** Makes the exception for a timeout that comes too late, with why. */
    RejectedExecutionException refusal() {
        Throwable cause = failure;
        return cause == null
                ? new RejectedExecutionException("the timer is closed")
                : new RejectedExecutionException("the timer has failed", cause);
    }

    boolean isClosing() {
        return closing;
    }

    void shutdown() {
        StackReserve.touchForSteps();
        boolean first;
        synchronized (this) {
            first = !closing;
            closing = true;
        }
        for (Stripe stripe : stripes) {
            stripe.close();
        }
        core.close();
        if (first && core.permits != null) {
            // For one of those that wait for a place: it is refused, gives the place back and so lets in the next.
            core.permits.release();
        }
        noteIdle();
    }

    List<Runnable> shutdownNow() {
        shutdown();
        List<TimerNode> nodes = new ArrayList<>();
        for (Stripe stripe : stripes) {
            takeAll(stripe, nodes);
        }
        if (!loop.hasExecutor()) {
            loop.addBatchTo(nodes);
        }
        List<Runnable> tasks = cancelTaken(nodes);
        noteIdle();
        return tasks;
    }

    private static void takeAll(Stripe stripe, List<TimerNode> nodes) {
        TimerNode[] batch = new TimerNode[TAKEN_TOGETHER];
        boolean more = true;
        while (more) {
            // A cancel may come in between.
            try {
                more = stripe.takeSome(batch);
            } finally {
                for (int i = 0; i < batch.length && batch[i] != null; i++) {
                    nodes.add(batch[i]);
                    batch[i] = null;
                }
            }
        }
    }

    private static List<Runnable> cancelTaken(List<TimerNode> nodes) {
        List<Runnable> tasks = new ArrayList<>(nodes.size());
        for (TimerNode node : nodes) {
            Runnable task = node.cancelExpired();
            if (task != null) {
                tasks.add(task);
                node.stripe.countCancelled(1);
                node.onCancelledByShutdown();
            }
        }
        return tasks;
    }

    @Override
    public boolean isTerminated() {
        return terminated.getCount() == 0;
    }

    /** Waits for the termination; false if the time was too short. */
    boolean awaitTermination(long nanos) throws InterruptedException {
        return terminated.await(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void noteIdle() {
        // What has left the wheels may be in the hands of the loop, which may put it back.
        int phase = loop.phase();
        boolean asleep = (phase & 1) == 0;
        if (core.isClosed() && asleep && !terminating.get() && !hasPending() && phase == loop.phase()) {
            terminate();
        }
    }

    /** As the totals tell, without an object: also at the end of the memory a timer ends. */
    private boolean hasPending() {
        for (Stripe stripe : stripes) {
            if (stripe.hasPending()) {
                return true;
            }
        }
        return false;
    }

    private void terminate() {
        if (terminating.compareAndSet(false, true)) {
            terminated.countDown();
            if (started) {
                wake();
            }
            onTerminated.run();
        }
    }

    /** Nothing will ever be expired, so nothing may look as if it would. */
    @Override
    public void fail(Throwable cause) {
        failure = cause;
        shutdown();
        List<TimerNode> nodes = new ArrayList<>();
        loop.addBatchTo(nodes);
        for (Stripe stripe : stripes) {
            takeWhatIsLeft(stripe, nodes);
        }
        for (TimerNode node : nodes) {
            node.reject(cause);
        }
        terminate();
        LoggingListener.expiryFailed(core.name(), cause);
    }

    /** A stripe that is broken breaks again; it must not keep the timeouts of the others from being given up. */
    @SuppressWarnings("EmptyCatch")
    private static void takeWhatIsLeft(Stripe stripe, List<TimerNode> nodes) {
        try {
            takeAll(stripe, nodes);
        } catch (RuntimeException | Error broken) {
            // What broke it first is reported.
        }
    }
}
