package io.tickwheel.wheel;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The driver that is used by default: one thread, which sleeps until the next deadline. */
final class ExpiryThread implements ExpiryDriver {
    private final ThreadFactory threads;
    private volatile @Nullable Thread thread;

    ExpiryThread(ThreadFactory threads) {
        this.threads = threads;
    }

    @Override
    public void start(Expiry expiry) {
        Thread created = threads.newThread(() -> loop(expiry));
        if (created == null) {
            throw new IllegalStateException("the thread factory returned null");
        }
        thread = created;
        created.start();
    }

    @Override
    public void wake(Expiry expiry) {
        LockSupport.unpark(thread);
    }

    private void loop(Expiry expiry) {
        while (!expiry.isTerminated()) {
            long nanos = expiry.expireDue();
            if (nanos > 0 && !expiry.isTerminated()) {
                // With an interrupt pending no thread can sleep.
                Thread.interrupted();
                LockSupport.parkNanos(this, nanos);
            }
        }
    }
}
