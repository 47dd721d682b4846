package io.tickwheel.wheel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A lock for critical sections of nanoseconds. Taking it free costs one compare-and-set and giving it back one ordered
 * write, without the fence that {@link java.util.concurrent.locks.ReentrantLock} needs there. Not reentrant. Who comes may
 * overtake who waits, but not for ever. The memory effects are those of any lock. No {@link StackOverflowError} and no
 * {@link OutOfMemoryError}, wherever it is thrown, leaves it taken: a section is written as {@link #lock} says.
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
     *
     * The queue is two lists. Who comes puts itself on top of the stack of arrivals, by compare-and-set; the owner, and nobody else,
     * moves them to the queue proper. A waiter that has got the lock by itself, or has died waiting, stays where it is, marked
     * as gone, until an owner comes across it. Only an owner hands over, so that a waiter which has just become the owner marks
     * itself without a race; one that dies decides with the owner, by compare-and-set on its state, whether it has got the lock
     * before.
     *
     * What can be thrown, and where. Every call can overflow the stack on its way in, also one in a finally block, and also that of
     * unlock; what is called may have done its work or not. A write to a field cannot.
     *
     *     lock()      throws before the lock is taken. The compare-and-set is its last call; who has to wait makes sure first that
     *                 there is stack for everything that follows but the sleep, and makes its waiter before it joins the queue.
     *                 Only the sleep of a virtual thread can then fail: the waiter leaves the queue, or, if it was made the owner
     *                 meanwhile, gives the lock back.
     *     a section   is wrapped into a catch of everything, which frees the lock by writing the field and rethrows, unless all is done
     *                 already. What was guarded is then as it was before or as it is after: see WheelLevels.
     *     unlock()    throws as long as the lock is taken, and then the same catch frees it; not once it is free or another's, when
     *                 the field is not the caller's to write.
     *
     * Freed in this way, the lock wakes nobody. Who waits looks again after a nap.
     */
    static final int FREE = 0;
    private static final int TAKEN = 1;

    private static final VarHandle LOCKED;
    private static final VarHandle ARRIVALS;
    private static final VarHandle STATE;
    private static final int SPINS = 200;
    // Longer than a bounded advance of the expiry takes; shorter than to fall asleep and be woken.
    private static final int SPINS_OF_FIRST = Runtime.getRuntime().availableProcessors() > 1 ? 4_000 : SPINS;
    // Between two looks, in spins: who looks all the time gets the lock after each section, and with it all that the
    // owner has in cache.
    private static final int FIRST_PAUSE = 32;
    private static final int LONGEST_PAUSE = 64;
    private static final int PATIENCE = 8;
    private static final long FIRST_NAP_NANOS = 200_000;
    private static final long LONGEST_NAP_NANOS = 50_000_000;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            LOCKED = lookup.findVarHandle(StripeLock.class, "locked", int.class);
            ARRIVALS = lookup.findVarHandle(StripeLock.class, "arrivals", Waiter.class);
            STATE = lookup.findVarHandle(Waiter.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** To be set to {@link #FREE} by a section into which something was thrown, and else only by this class. */
    volatile int locked;

    private volatile @Nullable Waiter arrivals;

    // The queue proper, first come first. Guarded by the lock.
    private @Nullable Waiter first;
    private @Nullable Waiter last;

    private static final class Waiter {
        private static final int WAITING = 0;
        private static final int OWNER = 1;
        private static final int GONE = 2;

        private final Thread thread = Thread.currentThread();
        private volatile int state;
        // Whether it was woken and has not looked yet: nobody needs to wake it again.
        private volatile boolean woken;
        private volatile int defeats;
        // The next on the stack of arrivals, and later the next of the queue.
        private @Nullable Waiter next;
        // Whether it has taken the lock by itself.
        private boolean hasTaken;
    }

    /**
     * Takes the lock. This is how a section is written, so that no error can leave it locked:
     *
     * <pre>{@code
     * lock();
     * try {
     *     ...
     *     unlock();
     * } catch (Throwable thrown) {
     *     locked = FREE;
     *     throw thrown;
     * }
     * }</pre>
     */
    final void lock() {
        if (!LOCKED.compareAndSet(this, FREE, TAKEN)) {
            await();
        }
    }

    /** Runs a section that is not hurried, and returns what it does. */
    final <T> T guarded(Supplier<T> section) {
        lock();
        try {
            T result = section.get();
            unlock();
            return result;
        } catch (Throwable thrown) {
            locked = FREE;
            throw thrown;
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
        Waiter waiter = null;
        if (first != null || arrivals != null) {
            waiter = firstWaiting();
            if (waiter != null && waiter.defeats >= patience && handOver(waiter)) {
                return;
            }
        }
        LOCKED.setRelease(this, FREE);
        if (waiter != null || arrivals != null) {
            wakeOne(waiter);
        }
    }

    /** Wakes a waiter, or the first of those that have come just now. The lock is not the caller's any more: throws nothing. */
    @SuppressWarnings("EmptyCatch")
    private void wakeOne(@Nullable Waiter waiter) {
        boolean taken = false;
        try {
            Waiter woken = waiter;
            if (woken == null) {
                taken = tryLock();
                if (!taken) {
                    return;
                }
                woken = firstWaiting();
                LOCKED.setRelease(this, FREE);
                taken = false;
            }
            if (woken != null && !woken.woken) {
                woken.woken = true;
                LockSupport.unpark(woken.thread);
            }
        } catch (Throwable notWoken) {
            // It will look by itself.
            if (taken) {
                locked = FREE;
            }
        }
    }

    /** Returns the first of those that wait, after a look at who has arrived. The caller has the lock. */
    private @Nullable Waiter firstWaiting() {
        if (arrivals != null) {
            enqueue((Waiter) ARRIVALS.getAndSet(this, null));
        }
        Waiter waiter = first;
        while (waiter != null && waiter.state != Waiter.WAITING) {
            waiter = waiter.next;
        }
        first = waiter;
        if (waiter == null) {
            last = null;
        }
        return waiter;
    }

    /** Appends a stack, whose top has come last, to the queue. */
    private void enqueue(Waiter top) {
        Waiter earliest = null;
        for (Waiter waiter = top; waiter != null; ) {
            Waiter below = waiter.next;
            waiter.next = earliest;
            earliest = waiter;
            waiter = below;
        }
        if (first == null || last == null) {
            first = earliest;
        } else {
            last.next = earliest;
        }
        last = top;
    }

    /** Makes a waiter the owner; false if it is gone. The lock stays taken. Throws nothing once it is the waiter's. */
    @SuppressWarnings("EmptyCatch")
    private boolean handOver(Waiter waiter) {
        if (!STATE.compareAndSet(waiter, Waiter.WAITING, Waiter.OWNER)) {
            return false;
        }
        try {
            LockSupport.unpark(waiter.thread);
        } catch (Throwable notWoken) {
            // It will look by itself.
        }
        return true;
    }

    private void await() {
        StackReserve.touch();
        Waiter self = new Waiter();
        if (spin(self, SPINS)) {
            return;
        }
        try {
            boolean interrupted = awaitInQueue(self, join(self));
            self.state = Waiter.GONE;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        } catch (Throwable thrown) {
            if (self.hasTaken || !STATE.compareAndSet(self, Waiter.WAITING, Waiter.GONE)) {
                locked = FREE;
            }
            throw thrown;
        }
    }

    /** Enters the queue; returns whether nobody else is there. */
    private boolean join(Waiter self) {
        while (true) {
            Waiter top = arrivals;
            self.next = top;
            if (ARRIVALS.compareAndSet(this, top, self)) {
                return top == null;
            }
        }
    }

    /** Returns, as the owner, whether an interrupt was taken meanwhile. */
    private boolean awaitInQueue(Waiter self, boolean alone) {
        boolean interrupted = false;
        long nap = FIRST_NAP_NANOS;
        int defeats = 0;
        int spins = alone ? SPINS_OF_FIRST : SPINS;
        while (!spin(self, spins)) {
            if (self.woken) {
                self.woken = false;
                self.defeats = ++defeats;
            }
            LockSupport.parkNanos(this, nap);
            nap = Math.min(2 * nap, LONGEST_NAP_NANOS);
            // With an interrupt pending no thread can sleep.
            interrupted |= Thread.interrupted();
            spins = SPINS;
        }
        return interrupted;
    }

    private boolean spin(Waiter self, int limit) {
        int pause = FIRST_PAUSE;
        for (int spins = 0; spins < limit; spins += pause) {
            if (self.state == Waiter.OWNER || tryLock()) {
                self.hasTaken = true;
                return true;
            }
            for (int i = 0; i < pause; i++) {
                Thread.onSpinWait();
            }
            pause = Math.min(2 * pause, LONGEST_PAUSE);
        }
        return false;
    }

    /** Looks before it writes, so that waiters do not take the cache line from the owner. */
    private boolean tryLock() {
        return locked == FREE && LOCKED.compareAndSet(this, FREE, TAKEN);
    }
}
