package io.tickwheel.store.redis.faults;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Notices when this process stood still, for want of a core or because it was stopped: then leases may have run out. */
final class StallWatch implements AutoCloseable {

    private static final long LOOK_MS = 20;
    private static final long STALL_MS = 150;

    /** Told from when to when, in wall time. */
    interface Stalls {
        void stalled(long fromMs, long toMs);
    }

    private final Stalls stalls;
    private final CountDownLatch closed = new CountDownLatch(1);

    StallWatch(Stalls stalls) {
        this.stalls = stalls;
        Thread thread = new Thread(this::watch, "stall-watch");
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
        long lastMs = System.currentTimeMillis();
        try {
            while (!closed.await(LOOK_MS, TimeUnit.MILLISECONDS)) {
                long nowMs = System.currentTimeMillis();
                if (nowMs - lastMs >= STALL_MS) {
                    stalls.stalled(lastMs, nowMs);
                }
                lastMs = nowMs;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
