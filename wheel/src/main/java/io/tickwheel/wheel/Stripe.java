package io.tickwheel.wheel;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One wheel of a {@link WheelTimer} and the lock that guards it. Threads are spread over the stripes, and a timeout stays
 * in the stripe of the thread that scheduled it. The lock is held for a few writes or for one bounded advance; no task,
 * listener or executor is called under it. Any thread may call this, with as little stack and memory left as it likes: what throws a
 * {@link VirtualMachineError} leaves the lock free and the wheel whole.
 */
final class Stripe extends StripeLock {
    /*
     * Where there are many timeouts a cancelled node stays in the wheel, without its task, until some have gathered. Its
     * neighbours in the list are then in no cache; those of many nodes are fetched at the same time, those of one after
     * the other.
     *
     * A call may fail at any call that it makes, for want of stack, and at any object, for want of memory. So what belongs together
     * is written behind the last call: StripeLock has the form of a section, WheelLevels what becomes of the nodes. What cannot be
     * done this way, to wake the expiry and to give back a place of the limit, is preceded by a look at whether there is stack for it.
     *
     * A new node does not wait for a lock that it finds taken: it comes into the inbox, and whoever has the lock next puts it into the
     * wheel before anything else, so that under the lock a node is where it would be if it had waited. Its tick is the next one before it
     * leaves the inbox, and the expiry looks into the inbox before it looks at the next tick: it sees one of the two, or is woken.
     */
    private static final int MANY = 8_192;
    private static final int UNLINKED_TOGETHER = 32;
    /** How many nodes one section moves to a lower level at most. */
    private static final int MOVES = 64;

    final TimerCore core;

    private final HierarchicalWheel<TimerNode> wheel = new HierarchicalWheel<>(0);
    private final TimerNode[] cancelled = new TimerNode[UNLINKED_TOGETHER];
    private int cancelledCount;

    private long scheduledTotal;
    // Without those that have gathered.
    private long cancelledTotal;
    private boolean closed;
    private boolean emptied;

    // No deadline in the wheel lies before it.
    private final NextTick nextTick;
    private final Inbox inbox = new Inbox();
    // What was taken from the inbox and is not in the wheel yet, each with the one behind it as its prev.
    private @Nullable WheelNode arrived;
    // Nodes come down ahead of their time.
    private volatile boolean hasAhead;

    Stripe(TimerCore core) {
        this.core = core;
        nextTick = new NextTick(core);
    }

    /** Returns the tick at which {@link #expire} is to be called: 0, which has come, for what is in the inbox. */
    long nextTick() {
        return inbox.last() == null ? nextTick.get() : 0;
    }

    private <T> T settled(Supplier<T> section) {
        return guarded(() -> {
            settle();
            return section.get();
        });
    }

    /** Puts what is in the inbox into the wheel. */
    private void settle() {
        while (true) {
            while (arrived != null) {
                TimerNode node = (TimerNode) arrived;
                WheelNode behind = node.prev;
                if (node.isPending()) {
                    wheel.schedule(node, node.deadline);
                } else {
                    core.endedBeforeItBegan();
                }
                // No call in between, at which the node could be left in two places.
                arrived = behind;
                scheduledTotal++;
            }
            WheelNode last = inbox.last();
            if (last == null) {
                return;
            }
            nextTick.lower(Inbox.earliest(last));
            arrived = inbox.take(last);
        }
    }

    StripeTotals totals() {
        return settled(() -> new StripeTotals(scheduledTotal, cancelledTotal + cancelledCount, pending()));
    }

    boolean hasPending() {
        lock();
        try {
            settle();
            boolean pending = pending() > 0;
            unlock();
            return pending;
        } catch (Throwable thrown) {
            locked = FREE;
            throw thrown;
        }
    }

    private int pending() {
        return wheel.size() - cancelledCount;
    }

    /** As {@link #schedule}, for a node that is new; does not wait for a lock that it finds taken, only for one that is taken in that moment. */
    boolean scheduleNew(TimerNode node, long tick, long elapsedNanos) {
        if (locked == FREE || inbox.isShut()) {
            return schedule(node, tick, elapsedNanos);
        }
        // For the wake-up, without which it may come too late.
        StackReserve.touch();
        boolean accepted = node.beginUnlocked() && inbox.offer(node, tick);
        if (accepted) {
            nextTick.wakeFor(tick);
        }
        return accepted;
    }

    /** Puts a node into the wheel; false if it was started or cancelled before it came here, or the timer was closed. */
    boolean schedule(TimerNode node, long tick, long elapsedNanos) {
        boolean sooner = false;
        boolean accepted = false;
        // What was done is answered, even if the stack ends at what comes behind.
        boolean done = false;
        long crowdTick = Long.MAX_VALUE;
        lock();
        try {
            settle();
            accepted = !closed && node.begin();
            if (accepted) {
                sooner = link(node, tick, elapsedNanos);
                scheduledTotal++;
                done = true;
                if (wheel.takeNewCrowd()) {
                    crowdTick = nextTick.publishForCrowd(wheel.nextAdvanceTick());
                }
            }
            done = true;
            unlock();
        } catch (Throwable thrown) {
            locked = FREE;
            if (!done) {
                throw thrown;
            }
        }
        if (sooner) {
            nextTick.wakeFor(tick);
        }
        if (crowdTick < tick) {
            nextTick.wakeForCrowd(crowdTick);
        }
        return accepted;
    }

    /** Puts a periodic node whose task has run back into the wheel; false if it was cancelled or the timer closed. */
    boolean scheduleAgain(Periodic node, Runnable task) {
        StackReserve.touch();
        long elapsedNanos = core.ticks.elapsedNanos();
        boolean sooner = false;
        long tick = 0;
        boolean accepted;
        lock();
        try {
            settle();
            accepted = !closed && node.afterRun(task);
            if (accepted) {
                tick = core.ticks.tickFrom(node.nextDeadlineNanos(elapsedNanos));
                sooner = link(node, tick, elapsedNanos);
            }
            unlock();
        } catch (Throwable thrown) {
            locked = FREE;
            throw thrown;
        }
        if (sooner) {
            nextTick.wakeFor(tick);
        }
        return accepted;
    }

    /** Puts a node that has expired, but has found no thread, back into the wheel. */
    boolean retry(TimerNode node, long tick, long elapsedNanos) {
        boolean retried;
        lock();
        try {
            settle();
            retried = !emptied && node.isPending();
            // If it is in the wheel the executor has run it before it threw.
            if (retried && !node.isScheduled()) {
                link(node, tick, elapsedNanos);
                if (!node.repeats()) {
                    core.retried();
                }
            }
            unlock();
        } catch (Throwable thrown) {
            locked = FREE;
            throw thrown;
        }
        return retried;
    }

    /** Returns whether a node waits in the wheel. */
    boolean holds(TimerNode node) {
        return settled(node::isScheduled);
    }

    /** Ends a node that has expired and returns the task that will not start, or null if it has started all the same. */
    @Nullable
    Runnable fail(TimerNode node) {
        lock();
        try {
            settle();
            Runnable task = node.isScheduled() ? null : node.failExpired();
            unlock();
            return task;
        } catch (Throwable thrown) {
            locked = FREE;
            throw thrown;
        }
    }

    /** Returns whether the expiry may have to be woken. There is stack for that then. */
    private boolean link(TimerNode node, long tick, long elapsedNanos) {
        boolean sooner = nextTick.isNewsFor(tick);
        if (sooner) {
            StackReserve.touch();
        }
        if (pending() == 0) {
            // Nothing keeps the wheel from standing on the present, where new nodes are filed finely.
            unlinkCancelled();
            wheel.skipTo(core.ticks.tickAt(elapsedNanos));
        }
        wheel.schedule(node, tick);
        if (sooner) {
            nextTick.publish(tick);
        }
        return sooner;
    }

    boolean cancel(TimerNode node) {
        core.reserveStack();
        Cancelled how = cancelUncounted(node);
        if (how == Cancelled.WITH_PLACE) {
            core.ended(1);
        }
        return how != Cancelled.NOT;
    }

    /** Cancels a node that has a place among those that may be pending, and leaves the place to the caller; false if it had none. */
    boolean cancelLeavingPlace(TimerNode node) {
        return cancelUncounted(node) == Cancelled.WITH_PLACE;
    }

    /** What a cancel has done. */
    private enum Cancelled {
        NOT,
        /** Cancelled, and its place was given back before, when it expired, or it was never started and had none. */
        WITHOUT_PLACE,
        WITH_PLACE
    }

    private Cancelled cancelUncounted(TimerNode node) {
        Cancelled how = Cancelled.WITH_PLACE;
        boolean done = false;
        lock();
        try {
            settle();
            if (node.isScheduled() && node.isPending()) {
                cancelInWheel(node);
            } else if (node.cancelUnbound()) {
                // It was not scheduled, so it is not counted.
                how = Cancelled.WITHOUT_PLACE;
            } else if (node.cancelExpired() != null) {
                cancelledTotal++;
                how = node.repeats() ? Cancelled.WITH_PLACE : Cancelled.WITHOUT_PLACE;
            } else if (node.cancelRepetition()) {
                cancelledTotal++;
            } else {
                how = Cancelled.NOT;
            }
            done = true;
            unlock();
        } catch (Throwable thrown) {
            locked = FREE;
            if (!done) {
                throw thrown;
            }
        }
        return how;
    }

    private void cancelInWheel(TimerNode node) {
        if (cancelledCount == UNLINKED_TOGETHER) {
            unlinkCancelled();
        }
        boolean many = wheel.size() >= MANY;
        node.cancelInWheel();
        // From here on the node is cancelled, whatever becomes of the call; one that stays for that leaves at its
        // deadline.
        if (many) {
            cancelled[cancelledCount++] = node;
        } else {
            wheel.discard(node);
            cancelledTotal++;
        }
    }

    private void unlinkCancelled() {
        // From the last to the first, so that after each of them everything is in order.
        while (cancelledCount > 0) {
            wheel.discard(cancelled[cancelledCount - 1]);
            cancelled[--cancelledCount] = null;
            cancelledTotal++;
        }
    }

    boolean reschedule(TimerNode node, long delayNanos) {
        long deadlineNanos = TickClock.after(core.ticks.elapsedNanos(), delayNanos);
        long tick = node.repeats() ? core.ticks.tickFrom(deadlineNanos) : core.tickWithSlack(deadlineNanos);
        boolean sooner = false;
        boolean moved = false;
        boolean done = false;
        lock();
        try {
            settle();
            moved = node.isScheduled() && node.isPending();
            if (moved && tick >= node.deadlineTick()) {
                node.onRescheduled(deadlineNanos);
                wheel.postpone(node, tick);
            } else if (moved) {
                sooner = nextTick.isNewsFor(tick);
                if (sooner) {
                    StackReserve.touch();
                }
                node.onRescheduled(deadlineNanos);
                wheel.reschedule(node, tick);
                if (sooner) {
                    nextTick.publish(tick);
                }
            }
            done = true;
            unlock();
        } catch (Throwable thrown) {
            locked = FREE;
            if (!done) {
                throw thrown;
            }
        }
        if (sooner) {
            nextTick.wakeFor(tick);
        }
        return moved;
    }

    /** Returns the tick of a node that is in the wheel, else 0. */
    long tickOf(TimerNode node) {
        return settled(() -> node.isScheduled() && node.isPending() ? node.deadlineTick() : 0L);
    }

    /** Takes what is due out of the wheel, for as many as an empty batch holds and within the limit of one advance. */
    void expire(long nowTick, TimerNode[] batch) {
        lock();
        try {
            settle();
            unlinkCancelled();
            wheel.take(nowTick, batch, MOVES);
            // A clock that has stepped back must first come back to where the wheel stands.
            nextTick.set(Math.max(wheel.currentTick(), wheel.nextAdvanceTick()));
            hasAhead = wheel.hasAhead();
            unlockForOthers();
        } catch (Throwable thrown) {
            locked = FREE;
            throw thrown;
        }
    }

    /** Returns whether {@link #prepare} has something to do. Only the expiry makes it so. */
    boolean hasAhead() {
        return hasAhead;
    }

    /** Brings some nodes that will be due to where they expire. */
    void prepare() {
        lock();
        try {
            settle();
            wheel.prepare(MOVES);
            nextTick.set(Math.max(wheel.currentTick(), wheel.nextAdvanceTick()));
            hasAhead = wheel.hasAhead();
            unlockForOthers();
        } catch (Throwable thrown) {
            locked = FREE;
            throw thrown;
        }
    }

    /** Refuses new nodes from now on. Those that repeat themselves end. */
    void close() {
        guarded(() -> {
            do {
                settle();
            } while (!inbox.shut());
            closed = true;
            return closed;
        });
    }

    /**
     * Takes nodes out of a closed stripe, in the order of their deadlines, as many as an empty batch holds; false once there are no more.
     * They are pending still, until their tasks are taken from them.
     */
    boolean takeSome(TimerNode[] batch) {
        return settled(() -> {
            assert closed;
            emptied = true;
            unlinkCancelled();
            wheel.take(Long.MAX_VALUE, batch, batch.length);
            nextTick.set(wheel.nextDeadlineBound());
            return !wheel.isEmpty();
        });
    }

    /** Adds the tasks of the nodes in the wheel. */
    void addTasksTo(List<Runnable> tasks) {
        settled(() -> {
            wheel.forEach(node -> {
                Runnable task = node.pendingTask();
                if (task != null) {
                    tasks.add(task);
                }
            });
            return tasks;
        });
    }

    /** Counts nodes that were cancelled after they were taken out. */
    void countCancelled(int nodes) {
        guarded(() -> cancelledTotal += nodes);
    }
}
