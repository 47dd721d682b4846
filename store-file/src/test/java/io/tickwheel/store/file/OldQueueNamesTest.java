package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Timers of queues that take no new ones, as an earlier version left them in the directory. */
class OldQueueNamesTest {

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {".", ".."})
    void whatAnEarlierVersionTookIsFoundCancelledAndDelivered(String queue) throws Exception {
        try (Tickwheel earlier = Tickwheel.open((context, listener) -> renaming(
                FileTimerStore.in(directory).withSegmentBytes(1 << 16).open(context, listener), "old", queue))) {
            earlier.schedule(TimerRequest.at("old", "due", Instant.EPOCH)).join();
            earlier.schedule(TimerRequest.after("old", "later", Duration.ofHours(1)))
                    .join();
        }
        CompletableFuture<String> delivered = new CompletableFuture<>();
        try (Tickwheel timers = Tickwheel.open(FileTimerStore.in(directory).withSegmentBytes(1 << 16))) {
            assertThat(timers.list(TimerQuery.of(queue)).join().timers()).hasSize(2);
            assertThat(timers.cancel(queue, "later").join().outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
            timers.handle(queue, attempt -> delivered.complete(attempt.timer().toString()));
            assertThat(delivered.get(20, TimeUnit.SECONDS)).isEqualTo(queue + "/due");
        }
        try (Tickwheel timers = Tickwheel.open(FileTimerStore.in(directory).withSegmentBytes(1 << 16))) {
            assertThat(timers.find(queue, "due").join().orElseThrow().state()).isEqualTo(TimerState.COMPLETED);
        }
    }

    /** The calendar, which puts timers of one queue into another. */
    private static Calendar renaming(Calendar calendar, String from, String to) {
        return (Calendar) Proxy.newProxyInstance(
                OldQueueNamesTest.class.getClassLoader(),
                new Class<?>[] {Calendar.class},
                (proxy, method, arguments) -> {
                    if (arguments != null && arguments[0] instanceof ScheduleCommand asked) {
                        assertThat(asked.key().queue()).isEqualTo(from);
                        arguments[0] = new ScheduleCommand(
                                new TimerKey(to, asked.key().key()),
                                asked.dueAtMs(),
                                asked.content(),
                                asked.route(),
                                asked.onConflict(),
                                asked.requestHash(),
                                asked.durability());
                    }
                    try {
                        return method.invoke(calendar, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
