package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.QueueView;
import io.tickwheel.engine.SigningSecrets;
import io.tickwheel.engine.SlowStart;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.Answer;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerQuery;
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

/** Changes of settings of which a step fails, or is never made, in a store that nodes share. */
final class QueueFaultTest {

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualThreads threads = new ManualThreads(clock, new SplittableRandom(1));
    private final WatchedStore store = new WatchedStore(new MemoryTimerStore()).shared();
    private final Tickwheel engine =
            Tickwheel.builder(store).clock(clock).threads(threads).open();

    private CompletableFuture<QueueView> change(int concurrency) {
        return engine.changeQueue("q", QueueChange.set(QueueSettings.NONE.withConcurrency(concurrency)));
    }

    private QueueView changed(int concurrency) {
        CompletableFuture<QueueView> answer = change(concurrency);
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        return answer.join();
    }

    private static boolean isRevision(Object[] arguments) {
        return ((ScheduleCommand) arguments[0]).key().key().isEmpty();
    }

    private void assertFails(CompletableFuture<?> answer, boolean isUnknown) {
        threads.runUntilIdle();
        assertThat(answer).as("answered").isDone();
        assertThatThrownBy(() -> Tickwheel.await(answer))
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        e -> assertThat(e.outcomeUnknown()).isEqualTo(isUnknown));
    }

    @Test
    void changeWhoseFirstLookFailsIsNotApplied() {
        threads.runUntilIdle();
        store.before("read", (calendar, arguments) -> {
            ((Answer<?>) arguments[1]).fail(new StoreUnavailableException("away", true));
            return true;
        });
        assertFails(change(1), false);
        assertThat(engine.settingsOf("q").concurrency()).isNull();
    }

    @Test
    void changeOfWhichOthersAreNotToldMayHaveBeenMade() {
        threads.runUntilIdle();
        store.before("schedule", (calendar, arguments) -> {
            boolean isRevision = isRevision(arguments);
            if (isRevision) {
                ((Answer<?>) arguments[1]).fail(new StoreUnavailableException("away", false));
            }
            return isRevision;
        });
        assertFails(change(1), true);
        assertThat(engine.settingsOf("q").concurrency()).isEqualTo(1);
    }

    @Test
    void changeByANodeThatDiedBeforeItToldOthersIsSeen() {
        ScheduleCommand first = written();
        changed(2);
        threads.advance(Duration.ofSeconds(1));
        boolean[] isWritten = {false};
        store.before("work", (calendar, arguments) -> {
            if (!isWritten[0]) {
                isWritten[0] = true;
                calendar.schedule(
                        new ScheduleCommand(first.key(), first.dueAtMs(), first.content(), OnConflict.REPLACE, 0),
                        ignored());
            }
            return false;
        });
        threads.advance(Duration.ofSeconds(1));
        assertThat(isWritten[0]).isTrue();
        assertThat(engine.settingsOf("q").concurrency()).isEqualTo(2);
        threads.advance(Duration.ofSeconds(10));
        assertThat(engine.settingsOf("q").concurrency()).isEqualTo(1);
    }

    @Test
    void settingsThatSomebodyElseChangesMeanwhileAreForgotten() {
        ScheduleCommand first = written();
        int[] others = {2};
        store.before("cancel", (calendar, arguments) -> {
            if (others[0] > 0) {
                others[0]--;
                calendar.schedule(
                        new ScheduleCommand(first.key(), first.dueAtMs(), first.content(), OnConflict.REPLACE, 0),
                        ignored());
            }
            return false;
        });
        CompletableFuture<Boolean> forgotten = engine.forgetQueue("q");
        threads.runUntilIdle();
        assertThat(forgotten).isCompletedWithValue(true);
        threads.advance(Duration.ofSeconds(20));
        assertThat(engine.settingsOf("q").isEmpty()).isTrue();
    }

    /** Nothing goes where nobody may want it. */
    @Test
    void queueWhoseSettingsCannotBeReadIsPaused() {
        ScheduleCommand readable = written();
        store.before("work", (calendar, arguments) -> {
            store.before("", (other, none) -> false);
            calendar.schedule(
                    new ScheduleCommand(readable.key(), readable.dueAtMs(), new byte[] {99}, OnConflict.REPLACE, 0),
                    ignored());
            return false;
        });
        threads.advance(Duration.ofSeconds(11));
        assertThat(engine.settingsOf("q").paused()).isTrue();
        assertThat(engine.settingsOf("other").paused()).isNull();
    }

    /** Sets a concurrency of 1, and returns what is written for that. */
    private ScheduleCommand written() {
        List<ScheduleCommand> documents = new ArrayList<>();
        threads.runUntilIdle();
        store.before("schedule", (calendar, arguments) -> {
            if (!isRevision(arguments)) {
                documents.add((ScheduleCommand) arguments[0]);
            }
            return false;
        });
        changed(1);
        return documents.get(0);
    }

    private static <T> Answer<T> ignored() {
        return new Answer<>() {

            @Override
            public void accept(T result) {}

            @Override
            public void fail(StoreException reason) {
                throw reason;
            }
        };
    }

    @Test
    void settingsAreLookedAtAgainAfterALookThatFailed() {
        ScheduleCommand first = written();
        changed(2);
        boolean[] hasFailed = {false};
        store.before("find", (calendar, arguments) -> {
            boolean fails = !hasFailed[0];
            if (fails) {
                hasFailed[0] = true;
                calendar.schedule(
                        new ScheduleCommand(first.key(), first.dueAtMs(), first.content(), OnConflict.REPLACE, 0),
                        ignored());
                ((Answer<?>) arguments[1]).fail(new StoreUnavailableException("away", false));
            }
            return fails;
        });
        threads.advance(Duration.ofSeconds(1));
        assertThat(hasFailed[0]).as("a look has failed").isTrue();
        threads.advance(Duration.ofSeconds(11));
        assertThat(engine.settingsOf("q").concurrency()).isEqualTo(1);
    }

    @Test
    void settingsThatAnotherNodeForgetsAreForgottenHere() {
        ScheduleCommand first = written();
        store.before("work", (calendar, arguments) -> {
            store.before("", (other, none) -> false);
            calendar.cancel(first.key(), null, null, ignored());
            return false;
        });
        threads.advance(Duration.ofSeconds(12));
        assertThat(engine.settingsOf("q").isEmpty()).isTrue();
    }

    /** More than a page of a list has. */
    @Test
    void settingsOfManyQueuesAreAllReadAtTheStart() {
        int queues = TimerQuery.MAX_LIMIT + 200;
        for (int i = 0; i < queues; i++) {
            var unused = engine.changeQueue("q" + i, QueueChange.pause());
            threads.runUntilIdle();
        }
        CompletableFuture<Void> closed = engine.closeAsync();
        threads.runUntilIdle();
        assertThat(closed).isDone();
        Tickwheel next = Tickwheel.builder(store).clock(clock).threads(threads).open();
        threads.advance(Duration.ofMillis(1));
        for (int i = 0; i < queues; i++) {
            assertThat(next.settingsOf("q" + i).paused()).as("queue %d", i).isTrue();
        }
    }

    @Test
    void slowStartAndSecretsAreOfTheMomentAtWhichTheyWereSet() {
        SigningSecrets secrets = SigningSecrets.of(List.of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"));
        var unused = engine.changeQueue(
                "q",
                QueueChange.set(
                        QueueSettings.NONE.withSlowStart(SlowStart.of(5)).withSecrets(secrets)));
        threads.runUntilIdle();
        Instant then = clock.now();
        threads.advance(Duration.ofMinutes(5));
        QueueSettings after = changed(3).settings();
        SlowStart slowStart = after.slowStart();
        SigningSecrets kept = after.secrets();
        assertThat(slowStart).isNotNull();
        assertThat(kept).isNotNull();
        assertThat(slowStart.since()).isEqualTo(then);
        assertThat(kept.since()).isEqualTo(then);
    }

    /** Its time has not come yet by the clock as it stands now. */
    @Test
    void slowStartBeforeItsMomentStartsAsSlowlyAsThen() {
        SlowStart began = new SlowStart(5, clock.now());
        assertThat(began.rateAt(clock.wallMs() - 60_000)).isEqualTo(5);
        assertThat(began.rateAt(clock.wallMs())).isEqualTo(5);
        assertThat(began.rateAt(clock.wallMs() + 1_000)).isEqualTo(10);
    }
}
