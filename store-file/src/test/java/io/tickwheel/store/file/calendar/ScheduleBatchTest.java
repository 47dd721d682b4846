package io.tickwheel.store.file.calendar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.file.FileTimerStore;
import io.tickwheel.store.testkit.RoomyListener;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Schedules are decided some at a time: what goes wrong with one leaves no other without its answer. */
class ScheduleBatchTest {

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final List<String> answers = new ArrayList<>();
    private int loadsUntilBug = Integer.MAX_VALUE;
    private final Calendar calendar = FileTimerStore.in(disk.path("/data"))
            .open(
                    new StoreContext(tasks::addLast, tasks::addLast, () -> {}, () -> 1L, () -> 0L, nanos -> {}),
                    new RoomyListener() {
                        @Override
                        public void loaded(PendingTimer timer) {
                            if (loadsUntilBug-- == 0) {
                                throw new IllegalStateException("a bug");
                            }
                        }
                    });

    private void schedule(String key) {
        calendar.schedule(
                new ScheduleCommand(new TimerKey("q", key), 5, new byte[3], OnConflict.REPLACE, 0), new Answer<>() {
                    @Override
                    public void accept(Scheduled result) {
                        answers.add(key + " " + result.outcome());
                    }

                    @Override
                    public void fail(StoreException failure) {
                        boolean unknown = ((StoreFailedException) failure).outcomeUnknown();
                        answers.add(key + (unknown ? " unknown" : " not applied"));
                    }
                });
    }

    @Test
    void bugInTheMiddleFailsTheStoreAndAnswersEveryone() {
        calendar.load(10, 10, 100);
        loadsUntilBug = 1;
        schedule("before");
        schedule("buggy");
        schedule("after");
        assertThatThrownBy(() -> calendar.work(100))
                .isInstanceOf(StoreFailedException.class)
                .hasMessageContaining("a bug");
        assertThat(answers).containsExactlyInAnyOrder("before unknown", "buggy unknown", "after not applied");
    }
}
