package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.SlowStart;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.Answer;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerStore;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import io.tickwheel.testkit.MemoryTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A slow start of a queue whose pause is one of the configuration, which only a restart begins or ends. */
final class ConfiguredPauseTest {

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private TimerStore store = new MemoryTimerStore();
    private int started;

    private Tickwheel open(boolean isPaused) {
        Tickwheel engine = Tickwheel.builder(store)
                .clock(clock)
                .threads(threads)
                .random(new SplittableRandom(2)::nextLong)
                .queue(
                        "q",
                        QueueSettings.NONE.withTarget(new Destination("t", "")).withPaused(isPaused))
                .target("t", (attempt, delivery) -> {
                    started++;
                    delivery.acknowledge();
                })
                .open();
        threads.runUntilIdle();
        return engine;
    }

    private Tickwheel restart(Tickwheel engine, boolean isPaused) {
        settled(engine.closeAsync());
        return open(isPaused);
    }

    private <T> T settled(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    private SlowStart slowStart(Tickwheel engine) {
        return settled(engine.queue("q")).orElseThrow().settings().slowStart();
    }

    private void setSlowStart(Tickwheel engine) {
        settled(engine.changeQueue("q", QueueChange.set(QueueSettings.NONE.withSlowStart(SlowStart.of(10)))));
    }

    private void scheduleInAPause(Tickwheel engine) {
        for (int i = 0; i < 500; i++) {
            settled(engine.schedule("q", "k" + i, Duration.ZERO));
        }
        threads.advance(Duration.ofMinutes(20));
        assertThat(started).isZero();
    }

    @Test
    void slowStartThatIsSetInItBeginsWhenARestartEndsIt() {
        Tickwheel paused = open(true);
        setSlowStart(paused);
        scheduleInAPause(paused);
        assertThat(slowStart(paused)).isEqualTo(SlowStart.of(10));
        Instant ended = clock.now();
        Tickwheel engine = restart(paused, false);
        threads.advance(Duration.ofSeconds(2));
        assertThat(started).isBetween(30, 50);
        Tickwheel again = restart(engine, false);
        threads.advance(Duration.ofSeconds(2));
        assertThat(started).as("another restart does not begin it anew").isBetween(100, 140);
        assertThat(slowStart(again)).isEqualTo(new SlowStart(10, ended));
    }

    @Test
    void slowStartThatWasOverBeginsAnewAfterIt() {
        Tickwheel engine = open(false);
        setSlowStart(engine);
        threads.advance(Duration.ofMinutes(20));
        Tickwheel paused = restart(engine, true);
        scheduleInAPause(paused);
        assertThat(slowStart(paused)).isEqualTo(SlowStart.of(10));
        restart(paused, false);
        threads.advance(Duration.ofSeconds(2));
        assertThat(started).isBetween(30, 50);
    }

    /** Its file says something else than those of the others, as while they are given new ones, one after the other. */
    @Test
    void slowStartGoesOnWhenAnotherNodeStartsInAPause() {
        WatchedStore shared = new WatchedStore(store).shared();
        List<ScheduleCommand> written = new ArrayList<>();
        shared.before("schedule", (calendar, arguments) -> {
            written.add((ScheduleCommand) arguments[0]);
            return false;
        });
        store = shared;
        Tickwheel paused = open(true);
        setSlowStart(paused);
        ScheduleCommand waiting = written.get(0);
        Tickwheel engine = restart(paused, false);
        SlowStart begun = new SlowStart(10, clock.now());
        assertThat(engine.settingsOf("q").slowStart()).isEqualTo(begun);

        shared.before("work", (calendar, arguments) -> {
            shared.before("", (other, none) -> false);
            calendar.schedule(
                    new ScheduleCommand(waiting.key(), waiting.dueAtMs(), waiting.content(), OnConflict.REPLACE, 0),
                    new Answer<>() {
                        @Override
                        public void accept(Scheduled answer) {}

                        @Override
                        public void fail(StoreException reason) {
                            throw new AssertionError(reason);
                        }
                    });
            return false;
        });
        threads.advance(Duration.ofSeconds(11));

        assertThat(slowStart(engine)).as("for those that wait").isEqualTo(SlowStart.of(10));
        assertThat(engine.settingsOf("q").slowStart()).isEqualTo(begun);
    }
}
