package io.tickwheel.wheel.netty;

import io.tickwheel.wheel.ExpiryDriver;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The one thread of a timer: expires what is due, and tells tasks that they were cancelled. Sleeps in between. Unlike the
 * wheel's own it can be started before there is anything to expire, waited for, and asked for its identity.
 */
final class TimerThread implements ExpiryDriver, Runnable {
    /** How many tasks are told before what is due comes first again. */
    private static final int TOLD_TOGETHER = 128;

    private static final long INTERRUPT_AGAIN_MS = 100;

    private final Thread thread;
    private final Queue<Cancelled> cancelled = new ConcurrentLinkedQueue<>();
    private volatile @Nullable Expiry expiry;

    // Both are written under the monitor: no thread is started that nobody waits for.
    private boolean started;
    private volatile boolean stopped;

    private volatile boolean ended;

    /** A timeout that was cancelled, and whose task wants to know. */
    interface Cancelled {

        /** Calls the task's own {@code cancelled}. Must not throw. */
        void tellCancelled();
    }

    TimerThread(ThreadFactory threads) {
        thread = Objects.requireNonNull(threads.newThread(this), "the thread factory returned null");
    }

    String name() {
        return thread.getName();
    }

    boolean isDaemon() {
        return thread.isDaemon();
    }

    boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /** Starts the thread, once; false if it was stopped before. */
    synchronized boolean start() {
        if (stopped) {
            return false;
        }
        if (!started) {
            thread.start();
            started = true;
        }
        return true;
    }

    @Override
    public void start(Expiry timer) {
        expiry = timer;
        start();
        wake(timer);
    }

    @Override
    public void wake(Expiry timer) {
        LockSupport.unpark(thread);
    }

    /**
     * Lets the thread end, now that its timer was closed, and waits until it has. What it does is interrupted, again and again, as a
     * task may clear an interrupt, and the thread does so before each task.
     */
    void stop() {
        synchronized (this) {
            stopped = true;
        }
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread.isAlive()) {
            thread.interrupt();
            try {
                thread.join(INTERRUPT_AGAIN_MS);
            } catch (InterruptedException e) {
                // A stop goes on to its end, as that of HashedWheelTimer; whoever called it is told then.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Has the thread tell a task that it was cancelled. Does it here once the thread has ended, and where there is no memory left to note
     * it: the task is told in any case.
     */
    void tellCancelled(Cancelled timeout) {
        try {
            cancelled.add(timeout);
        } catch (OutOfMemoryError full) {
            timeout.tellCancelled();
            return;
        }
        if (ended) {
            tellAllCancelled();
        } else {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public void run() {
        try {
            expireUntilStopped();
        } finally {
            ended = true;
            // Those that came before they could see it.
            tellAllCancelled();
        }
    }

    private void expireUntilStopped() {
        while (true) {
            Expiry timer = expiry;
            long nanos = timer == null ? Long.MAX_VALUE : timer.expireDue();
            // Whatever was called back may have spent a wake-up on a lock of its own: look again before going to sleep.
            if (tellSomeCancelled() || expiry != timer) {
                continue;
            }
            if (timer == null ? stopped : timer.isTerminated()) {
                return;
            }
            if (nanos > 0) {
                // A task may have left its interrupt behind, with which no thread can sleep.
                Thread.interrupted();
                LockSupport.parkNanos(this, nanos);
            }
        }
    }

    private void tellAllCancelled() {
        while (tellSomeCancelled()) {
            // Until there are no more: no new ones come to a timer that was stopped, but those of its executor.
        }
    }

    private boolean tellSomeCancelled() {
        int told = 0;
        while (told < TOLD_TOGETHER) {
            Cancelled next = cancelled.poll();
            if (next == null) {
                break;
            }
            next.tellCancelled();
            told++;
        }
        return told > 0;
    }
}
