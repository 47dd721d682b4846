package io.tickwheel.wheel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock for critical sections of nanoseconds. Taking it free costs one compare-and-set and giving it back one ordered
 * write, without the fence that {@link java.util.concurrent.locks.ReentrantLock} needs there. Not reentrant. Who comes may
 * overtake who waits, but not for ever. The memory effects are those of any lock.
 */
abstract class StripeLock {
    /*
     * Who finds it taken spins for a moment, then joins the queue, spins once more, longer if nobody else is there, and
     * sleeps. Who gives it back wakes the first of the queue, which then has to compete with those that are awake; when it
     * has lost too often, the lock is not given back but handed to it.
     *
     * The look at the queue comes after the write that frees the lock, without a fence in between, so that it may overlook
     * a waiter that joins within these nanoseconds. The second spinning outlasts them as a rule. For the exceptions nobody
     * sleeps for ever without looking again.
     */
    private static final VarHandle LOCKED;
    private static final VarHandle WAITING;
    private static final int SPINS = 200;
    // Longer than a bounded advance of the expiry takes; shorter than to fall asleep and be woken.
    private static final int SPINS_OF_FIRST = Runtime.getRuntime().availableProcessors() > 1 ? 4_000 : SPINS;
    private static final int PATIENCE = 2;
    private static final long FIRST_NAP_NANOS = 200_000;
    private static final long LONGEST_NAP_NANOS = 50_000_000;

    static {
        try {
            LOCKED = MethodHandles.lookup().findVarHandle(StripeLock.class, "locked", int.class);
            WAITING = MethodHandles.lookup().findVarHandle(StripeLock.class, "waiting", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // Both only through the handles.
    @SuppressWarnings("unused")
    private int locked;

    @SuppressWarnings("unused")
    private int waiting;

    private final Queue<Waiter> waiters = new ConcurrentLinkedQueue<>();

    private static final class Waiter {
        private final Thread thread = Thread.currentThread();
        // Whether it was woken and has not looked yet: nobody needs to wake it again.
        private volatile boolean woken;
        private volatile int defeats;
        private volatile boolean owner;
    }

    final void lock() {
        if (!LOCKED.compareAndSet(this, 0, 1)) {
            await();
        }
    }

    final void unlock() {
        unlock(PATIENCE);
    }

    /** For a thread that comes back for the lock at once: whoever waits gets it now, and would hardly get it else. */
    final void unlockForOthers() {
        unlock(0);
    }

    private void unlock(int patience) {
        if (hasWaiters() && handOver(patience)) {
            return;
        }
        LOCKED.setRelease(this, 0);
        if (hasWaiters()) {
            wakeFirst();
        }
    }

    private void await() {
        Waiter self = new Waiter();
        if (spin(self, SPINS)) {
            return;
        }
        waiters.add(self);
        boolean alone = (int) WAITING.getAndAdd(this, 1) == 0;
        boolean interrupted = false;
        if (!spin(self, alone ? SPINS_OF_FIRST : SPINS)) {
            long nap = FIRST_NAP_NANOS;
            int defeats = 0;
            while (!self.owner && !tryLock()) {
                LockSupport.parkNanos(this, nap);
                nap = Math.min(2 * nap, LONGEST_NAP_NANOS);
                // With an interrupt pending no thread can sleep.
                interrupted |= Thread.interrupted();
                if (self.woken) {
                    self.woken = false;
                    self.defeats = ++defeats;
                }
            }
        }
        WAITING.getAndAdd(this, -1);
        waiters.remove(self);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean spin(Waiter self, int limit) {
        for (int spins = 0; spins < limit; spins++) {
            if (self.owner || tryLock()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /** Looks before it writes, so that waiters do not take the cache line from the owner. */
    private boolean tryLock() {
        return (int) LOCKED.getOpaque(this) == 0 && LOCKED.compareAndSet(this, 0, 1);
    }

    private boolean hasWaiters() {
        return (int) WAITING.getOpaque(this) > 0;
    }

    /** Makes the first of the queue the owner, if it has waited long enough. The lock stays taken. */
    private boolean handOver(int patience) {
        Waiter first = waiters.peek();
        if (first == null || first.defeats < patience) {
            return false;
        }
        first.owner = true;
        LockSupport.unpark(first.thread);
        return true;
    }

    private void wakeFirst() {
        Waiter first = waiters.peek();
        if (first != null && !first.woken) {
            first.woken = true;
            LockSupport.unpark(first.thread);
        }
    }
}
