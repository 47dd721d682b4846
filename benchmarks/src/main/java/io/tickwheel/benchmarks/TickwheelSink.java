package io.tickwheel.benchmarks;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.file.FileTimerStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

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
        expectCreated(timers.schedule(QUEUE, key, DELAY, payload.clone()).join());
    }

    @Override
    public void close() {
        timers.close();
    }

    private static void expectCreated(Scheduled answer) {
        if (answer.outcome() != Scheduled.Outcome.CREATED) {
            throw new IllegalStateException("expected a new timer: " + answer);
        }
    }

    /** The futures that are not joined yet: a ring, each place of which is joined before it is used again. */
    private static final class Outstanding {

        private final @Nullable CompletableFuture<Scheduled>[] ring;
        private int next;

        @SuppressWarnings({"unchecked", "rawtypes"}) // Java has no arrays of generic types.
        Outstanding(int window) {
            ring = new CompletableFuture[window];
        }

        void add(CompletableFuture<Scheduled> answer) {
            joinAt(next);
            ring[next] = answer;
            next = next + 1 == ring.length ? 0 : next + 1;
        }

        void join() {
            for (int i = 0; i < ring.length; i++) {
                joinAt(i);
            }
        }

        private void joinAt(int place) {
            CompletableFuture<Scheduled> answer = ring[place];
            if (answer != null) {
                expectCreated(answer.join());
            }
        }
    }
}
