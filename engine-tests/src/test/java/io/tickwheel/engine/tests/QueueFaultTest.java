package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.QueueView;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.Answer;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreUnavailableException;
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

    private static Answer<Scheduled> ignored() {
        return new Answer<>() {

            @Override
            public void accept(Scheduled result) {}

            @Override
            public void fail(StoreException reason) {
                throw reason;
            }
        };
    }
}
