package io.tickwheel.benchmarks;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.file.FileTimerStore;
import java.nio.file.Path;
import java.time.Duration;

/** The embedded API on a file store. */
final class TickwheelSink implements TimerSink {

    private static final String QUEUE = "bench";
    private static final Duration DELAY = Duration.ofHours(1);

    private final Tickwheel timers;
    private final byte[] payload;
    private final int window;

    TickwheelSink(Path directory, byte[] payload, int window) {
        this.timers = Tickwheel.open(FileTimerStore.in(directory));
        this.payload = payload;
        this.window = window;
    }

    @Override
    public void scheduleAll(int count) {
        Outstanding outstanding = new Outstanding(window);
        for (int i = 0; i < count; i++) {
            outstanding.add(timers.schedule(QUEUE, "order-" + i, DELAY, payload.clone()));
        }
        outstanding.join();
    }

    @Override
    public void schedule(String key) {
        Outstanding.expectCreated(
                timers.schedule(QUEUE, key, DELAY, payload.clone()).join());
    }

    @Override
    public void close() {
        timers.close();
    }
}
