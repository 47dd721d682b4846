package io.tickwheel.wheel;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One wheel of a {@link WheelTimer} and the lock that guards it. Threads are spread over the stripes, and a timeout stays
 * in the stripe of the thread that scheduled it. The lock is held for a few writes or for one bounded advance; no task,
 * listener or executor is called under it. Any thread may call this.
 */
final class Stripe extends StripeLock {
    /*
     * Where there are many timeouts a cancelled node stays in the wheel, without its task, until some have gathered. Its
     * neighbours in the list are then in no cache; those of many nodes are fetched at the same time, those of one after
     * the other.
     */
    private static final int MANY = 8_192;

    private static final int UNLINKED_TOGETHER = 32;

    private static final int TAKEN_TOGETHER = 1024;

    final TimerCore core;

    private final HierarchicalWheel<TimerNode> wheel = new HierarchicalWheel<>(0);
    private final TimerNode[] cancelled = new TimerNode[UNLINKED_TOGETHER];
    private int cancelledCount;

    private long scheduledTotal;
    // Without those that have gathered.
    private long cancelledTotal;
    private boolean closed;
    private boolean emptied;

    // No deadline in the wheel lies before it. Written under the lock, read by the expiry without.
    private volatile long nextTick = Long.MAX_VALUE;

    Stripe(TimerCore core) {
        this.core = core;
    }

    long nextTick() {
        return nextTick;
    }

    /** How many timeouts have been scheduled and cancelled, and are pending. */
    record Totals(long scheduled, long cancelled, long pending) {
        static final Totals NONE = new Totals(0, 0, 0);

        Totals plus(Totals other) {
            return new Totals(scheduled + other.scheduled, cancelled + other.cancelled, pending + other.pending);
        }
    }

    Totals totals() {
        lock();
        try {
            return new Totals(scheduledTotal, cancelledTotal + cancelledCount, pending());
        } finally {
            unlock();
        }
    }

    private int pending() {
        return wheel.size() - cancelledCount;
    }

    /** Puts a node into the wheel; false if it was cancelled before it came here, or the timer was closed. */
    boolean schedule(TimerNode node, long tick, long elapsedNanos) {
        boolean sooner;
        lock();
        try {
            if (closed || !node.isPending()) {
                return false;
            }
            scheduledTotal++;
            sooner = link(node, tick, elapsedNanos);
        } finally {
            unlock();
        }
        if (sooner) {
            core.wakeFor(tick);
        }
        return true;
    }

    /** Puts a periodic node whose task has run back into the wheel; false if it was cancelled or the timer closed. */
    boolean scheduleAgain(Periodic node, Runnable task) {
        long elapsedNanos = core.ticks.elapsedNanos();
        boolean sooner;
        long tick;
        lock();
        try {
            if (closed || !node.afterRun(task)) {
                return false;
            }
            tick = core.ticks.tickFrom(node.nextDeadlineNanos(elapsedNanos));
            sooner = link(node, tick, elapsedNanos);
        } finally {
            unlock();
        }
        if (sooner) {
            core.wakeFor(tick);
        }
        return true;
    }

    /** Puts a node that has expired, but has found no thread, back into the wheel. */
    boolean retry(TimerNode node, long tick, long elapsedNanos) {
        lock();
        try {
            if (emptied || !node.isPending()) {
                return false;
            }
            if (node.isScheduled()) {
                // The executor has run it before it threw.
                return true;
            }
            link(node, tick, elapsedNanos);
            if (!node.repeats()) {
                core.retried();
            }
        } finally {
            unlock();
        }
        return true;
    }

    /** Returns whether a node waits in the wheel. */
    boolean holds(TimerNode node) {
        lock();
        try {
            return node.isScheduled();
        } finally {
            unlock();
        }
    }

    /** Ends a node that has expired and returns the task that will not start, or null if it has started all the same. */
    @Nullable
    Runnable fail(TimerNode node) {
        lock();
        try {
            return node.isScheduled() ? null : node.failExpired();
        } finally {
            unlock();
        }
    }

    private boolean link(TimerNode node, long tick, long elapsedNanos) {
        if (pending() == 0) {
            // Nothing keeps the wheel from standing on the present, where new nodes are filed finely.
            unlinkCancelled();
            wheel.skipTo(core.ticks.tickAt(elapsedNanos));
        }
        wheel.schedule(node, tick);
        return publish(tick);
    }

    private boolean publish(long tick) {
        if (tick >= nextTick) {
            return false;
        }
        nextTick = tick;
        return true;
    }

    boolean cancel(TimerNode node) {
        boolean ended = true;
        lock();
        try {
            if (node.isScheduled() && node.isPending()) {
                node.cancelInWheel();
                unlink(node);
            } else if (node.cancelExpired() != null) {
                cancelledTotal++;
                ended = node.repeats();
            } else if (node.cancelRepetition()) {
                cancelledTotal++;
            } else {
                return false;
            }
        } finally {
            unlock();
        }
        if (ended) {
            core.ended(1);
        }
        return true;
    }

    private void unlink(TimerNode node) {
        if (wheel.size() < MANY) {
            wheel.discard(node);
            cancelledTotal++;
            return;
        }
        cancelled[cancelledCount++] = node;
        if (cancelledCount == UNLINKED_TOGETHER) {
            unlinkCancelled();
        }
    }

    private void unlinkCancelled() {
        for (int i = 0; i < cancelledCount; i++) {
            wheel.discard(cancelled[i]);
        }
        Arrays.fill(cancelled, 0, cancelledCount, null);
        cancelledTotal += cancelledCount;
        cancelledCount = 0;
    }

    boolean reschedule(TimerNode node, long delayNanos) {
        long deadlineNanos = TickClock.after(core.ticks.elapsedNanos(), delayNanos);
        long tick = node.repeats() ? core.ticks.tickFrom(deadlineNanos) : core.tickWithSlack(deadlineNanos);
        boolean sooner;
        lock();
        try {
            if (!node.isScheduled() || !node.isPending()) {
                return false;
            }
            node.onRescheduled(deadlineNanos);
            if (tick >= node.deadlineTick()) {
                wheel.postpone(node, tick);
                return true;
            }
            wheel.reschedule(node, tick);
            sooner = publish(tick);
        } finally {
            unlock();
        }
        if (sooner) {
            core.wakeFor(tick);
        }
        return true;
    }

    /** Returns how long it is until the deadline of a node that is in the wheel, else zero. */
    Duration remaining(TimerNode node) {
        long tick = tickOf(node);
        return tick == 0 ? Duration.ZERO : Duration.ofNanos(core.ticks.nanosOf(tick) - core.ticks.elapsedNanos());
    }

    /** Returns the tick of a node that is in the wheel, else 0. */
    private long tickOf(TimerNode node) {
        lock();
        try {
            return node.isScheduled() && node.isPending() ? node.deadlineTick() : 0;
        } finally {
            unlock();
        }
    }

    /** Takes what is due out of the wheel, within the limit of one advance, and hands it to the handler. */
    void expire(long nowTick, int limit, ExpiryHandler<TimerNode> handler) {
        lock();
        try {
            unlinkCancelled();
            wheel.advance(nowTick, limit, handler);
            // A clock that has stepped back must first come back to where the wheel stands.
            nextTick = Math.max(wheel.currentTick(), wheel.nextDeadlineBound());
        } finally {
            unlockForOthers();
        }
    }

    /** Refuses new nodes from now on. Those that repeat themselves end. */
    void close() {
        lock();
        closed = true;
        unlock();
    }

    /**
     * Takes all nodes out of a closed stripe, in the order of their deadlines, some at a time. They are pending still, until
     * their tasks are taken from them.
     */
    void takeAll(List<TimerNode> nodes) {
        while (takeSome(nodes)) {
            // A cancel may come in between.
        }
    }

    private boolean takeSome(List<TimerNode> nodes) {
        lock();
        try {
            assert closed;
            emptied = true;
            unlinkCancelled();
            wheel.advance(Long.MAX_VALUE, TAKEN_TOGETHER, nodes::add);
            nextTick = wheel.nextDeadlineBound();
            return !wheel.isEmpty();
        } finally {
            unlock();
        }
    }

    /** Adds the tasks of the nodes in the wheel. */
    void addTasksTo(List<Runnable> tasks) {
        lock();
        try {
            wheel.forEach(node -> {
                Runnable task = node.pendingTask();
                if (task != null) {
                    tasks.add(task);
                }
            });
        } finally {
            unlock();
        }
    }

    /** Counts nodes that were cancelled after they were taken out. */
    void countCancelled(int nodes) {
        lock();
        cancelledTotal += nodes;
        unlock();
    }
}
