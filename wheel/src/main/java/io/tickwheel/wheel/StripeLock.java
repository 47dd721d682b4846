package io.tickwheel.wheel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock for critical sections of nanoseconds. Taking it free costs one compare-and-set and giving it back one ordered
 * write, half of what {@link java.util.concurrent.locks.ReentrantLock} costs, which needs a fence there. Not reentrant, not
 * fair: a thread that keeps coming back has to {@linkplain #letOthersGoFirst let others go first}. The memory effects are
 * those of any lock.
 */
abstract class StripeLock {
    /*
     * Who finds it taken spins for a moment, then joins the queue, looks again and sleeps. Who gives it back looks for
     * waiters after the write that frees it, without a fence in between: it may overlook one that has joined in these
     * nanoseconds. Therefore nobody sleeps for longer than a nap without looking again.
     */
    private static final VarHandle LOCKED;
    private static final VarHandle WAITING;
    private static final int SPINS = 200;
    private static final int COURTEOUS_SPINS = 10_000;
    private static final long NAP_NANOS = 200_000;

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
    }

    final void lock() {
        if (!LOCKED.compareAndSet(this, 0, 1)) {
            await();
        }
    }

    final void unlock() {
        LOCKED.setRelease(this, 0);
        if (hasWaiters()) {
            wakeFirst();
        }
    }

    private void await() {
        for (int spins = 0; spins < SPINS; spins++) {
            if (tryLock()) {
                return;
            }
            Thread.onSpinWait();
        }
        Waiter self = new Waiter();
        boolean interrupted = false;
        waiters.add(self);
        WAITING.getAndAdd(this, 1);
        while (!tryLock()) {
            LockSupport.parkNanos(this, NAP_NANOS);
            // With an interrupt pending no thread can sleep.
            interrupted |= Thread.interrupted();
            self.woken = false;
        }
        WAITING.getAndAdd(this, -1);
        waiters.remove(self);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void wakeFirst() {
        Waiter first = waiters.peek();
        if (first != null && !first.woken) {
            first.woken = true;
            LockSupport.unpark(first.thread);
        }
    }

    /**
     * Holds back for a moment, if a thread waits, until one has the lock. For a thread that has just given it back and is
     * about to take it again: who sleeps would else find it taken each time.
     */
    final void letOthersGoFirst() {
        for (int spins = 0; spins < COURTEOUS_SPINS && hasWaiters() && isFree(); spins++) {
            Thread.onSpinWait();
        }
    }

    private boolean hasWaiters() {
        return (int) WAITING.getOpaque(this) > 0;
    }

    /** Looks before it writes, so that waiters do not take the cache line from the owner. */
    private boolean tryLock() {
        return isFree() && LOCKED.compareAndSet(this, 0, 1);
    }

    private boolean isFree() {
        return (int) LOCKED.getOpaque(this) == 0;
    }
}
