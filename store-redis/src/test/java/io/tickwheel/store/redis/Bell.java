package io.tickwheel.store.redis;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The waker of calendars that a test turns by itself: it waits until something comes from the network, instead of turning in vain. */
final class Bell implements Runnable {

    /** What needs a later time, or a turn that nobody rings for, does not wait for longer. */
    private static final long LIMIT_NANOS = 500_000;

    private final Semaphore rings = new Semaphore(0);

    @Override
    public void run() {
        rings.release();
    }

    /** Waits until something has come since it waited last, or a moment has passed. */
    void await() {
        try {
            var unused = rings.tryAcquire(LIMIT_NANOS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        rings.drainPermits();
    }
}
