package io.tickwheel.benchmarks.power;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.FileTimerStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/** An open store that writes every command, answer and delivery into the ledger. Thread-safe. */
final class StoreUnderTest implements AutoCloseable {

    private static final String QUEUE = "power";
    /** Small, so that files are begun, recycled and trimmed all the time. */
    private static final long SEGMENT_BYTES = 1 << 20;

    private static final long CHECKPOINT_BYTES = 4 << 20;
    private static final int ONE_OF_SO_MANY_FAILS_FIRST = 16;

    private final Ledger ledger;
    private final Tickwheel timers;

    private StoreUnderTest(Ledger ledger, Tickwheel timers) {
        this.ledger = ledger;
        this.timers = timers;
    }

    /** Opens the store; nothing is delivered before {@link #deliver}. */
    static StoreUnderTest open(Path directory, Ledger ledger) {
        ledger.write("open", System.currentTimeMillis());
        FileTimerStore store =
                FileTimerStore.in(directory).withSegmentBytes(SEGMENT_BYTES).withCheckpointBytes(CHECKPOINT_BYTES);
        Tickwheel timers = Tickwheel.builder(store)
                .retry(RetryPolicy.exponential(16, Duration.ofMillis(50)))
                .open();
        ledger.write("ready", System.currentTimeMillis(), timers.liveCount());
        return new StoreUnderTest(ledger, timers);
    }

    void deliver() {
        timers.handle(QUEUE, this::handle);
    }

    boolean isRunning() {
        return timers.isRunning();
    }

    long liveCount() {
        return timers.liveCount();
    }

    /** Completes, always normally, when the outcome is in the ledger; true for an answer. */
    CompletableFuture<Boolean> schedule(String key, String token, long dueAtMs) {
        ledger.write("schedule", key, token, dueAtMs);
        TimerRequest request =
                TimerRequest.at(QUEUE, key, Instant.ofEpochMilli(dueAtMs)).withPayload(Payload.of(token));
        return written(key, timers.schedule(request), (Scheduled made) -> {
            TimerView timer = made.timer();
            ledger.write("made", key, timer.version(), timer.id(), timer.dueAtMs(), made.previous());
        });
    }

    /** As {@link #schedule}. */
    CompletableFuture<Boolean> cancel(String key) {
        ledger.write("cancel", key);
        return written(key, timers.cancel(QUEUE, key), (Cancelled cancelled) -> {
            TimerView timer = cancelled.timer();
            ledger.write("cancelled", key, cancelled.outcome(), timer == null ? Ledger.NONE : words(timer));
        });
    }

    /** As {@link #schedule}; {@code found} is told first. */
    CompletableFuture<Boolean> find(String key, Consumer<Optional<TimerView>> found) {
        ledger.write("find", key);
        return written(key, timers.find(QUEUE, key), (Optional<TimerView> timer) -> {
            found.accept(timer);
            ledger.write("found", key, timer.map(StoreUnderTest::words).orElse(Ledger.NONE));
        });
    }

    /** Looks at all these keys; the live ones come back. While nothing is delivered, they are all there is. */
    List<TimerView> lookAt(List<String> keys) {
        List<TimerView> live = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<Boolean>> answers = keys.stream()
                .map(key -> find(
                        key,
                        found -> found.filter(timer -> !timer.state().isFinished())
                                .ifPresent(live::add)))
                .toList();
        if (answers.stream().allMatch(CompletableFuture::join)) {
            ledger.write("counted", timers.liveCount(), live.size());
        }
        return live;
    }

    private static String words(TimerView timer) {
        return timer.id() + " " + timer.version() + " " + timer.dueAtMs() + " " + timer.state();
    }

    private <T> CompletableFuture<Boolean> written(String key, CompletableFuture<T> answer, Consumer<T> write) {
        return answer.handle((given, failure) -> {
            if (failure == null) {
                write.accept(given);
            } else {
                ledger.write(isUnknown(failure) ? "unknown" : "notapplied", key);
            }
            return failure == null;
        });
    }

    private static boolean isUnknown(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return !(cause instanceof StoreFailedException failed) || failed.outcomeUnknown();
    }

    private void handle(Attempt attempt) {
        String token = Payload.token(attempt.payload());
        ledger.write(
                "came",
                token,
                attempt.key(),
                attempt.id(),
                attempt.version(),
                attempt.dueAt().toEpochMilli(),
                System.currentTimeMillis());
        if (attempt.number() == 1 && Math.floorMod(token.hashCode(), ONE_OF_SO_MANY_FAILS_FIRST) == 0) {
            ledger.write("failed", token);
            throw new IllegalStateException("fails at first, as planned");
        }
        ledger.write("took", token, System.currentTimeMillis());
    }

    @Override
    public void close() {
        timers.close();
        ledger.write("closed");
    }
}
