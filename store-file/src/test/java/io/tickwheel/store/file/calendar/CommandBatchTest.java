package io.tickwheel.store.file.calendar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.Lane;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.FileTimerStore;
import io.tickwheel.store.testkit.RoomyListener;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Commands about one key are decided some at a time: what goes wrong with one leaves no other without its answer, and no other call sees that they have waited. */
class CommandBatchTest {

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final List<String> answers = new ArrayList<>();
    private int loadsUntilBug = Integer.MAX_VALUE;
    private final Calendar calendar = FileTimerStore.in(disk.path("/data"))
            .withSegmentBytes(1 << 16)
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

    /** What a call other than a command about one key finds is what the commands before it have left. */
    @ParameterizedTest
    @MethodSource("otherCalls")
    void otherCallsComeBehindTheCommandsBeforeThem(String name, BiConsumer<Calendar, PendingTimer> call) {
        List<PendingTimer> loaded = new ArrayList<>();
        List<PendingTimer> unloaded = new ArrayList<>();
        Calendar own = FileTimerStore.in(disk.path("/own"))
                .withSegmentBytes(4_096)
                .withCheckpointBytes(4_096)
                .open(
                        new StoreContext(tasks::addLast, tasks::addLast, () -> {}, () -> 1L, () -> 0L, nanos -> {}),
                        new RoomyListener() {
                            @Override
                            public void loaded(PendingTimer timer) {
                                loaded.add(timer);
                            }

                            @Override
                            public void unloaded(PendingTimer timer) {
                                unloaded.add(timer);
                            }
                        });
        own.load(10, 10, 100);
        for (String key : List.of("claimed", "cancelled")) {
            own.schedule(new ScheduleCommand(new TimerKey("q", key), 5, new byte[3], OnConflict.REPLACE, 0), ignored());
        }
        settle(own);
        own.claim(loaded.get(0), granted -> {});
        settle(own);
        own.cancel(loaded.get(1).key(), ignored());
        assertThat(unloaded).isEmpty();
        call.accept(own, loaded.get(0));
        assertThat(unloaded).containsExactly(loaded.get(1));
        settle(own);
        own.close();
    }

    private void settle(Calendar settled) {
        int done;
        do {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
            done = settled.work(100);
        } while (done > 0 || !tasks.isEmpty() || !settled.isQuiet());
    }

    private static <T> Answer<T> ignored() {
        return new Answer<>() {
            @Override
            public void accept(T result) {}

            @Override
            public void fail(StoreException failure) {
                throw failure;
            }
        };
    }

    private static Arguments call(String name, BiConsumer<Calendar, PendingTimer> call) {
        return Arguments.of(name, call);
    }

    static Stream<Arguments> otherCalls() {
        Lane lane = new Lane("q", Lane.QUEUE_ROUTE);
        return Stream.of(
                call("load", (own, claimed) -> own.load(10, 10, 100)),
                call("loadedTo", (own, claimed) -> own.loadedTo()),
                call("firstToLoad", (own, claimed) -> own.firstToLoad()),
                call("suspend", (own, claimed) -> own.suspend(lane)),
                call("resume", (own, claimed) -> own.resume(lane)),
                call("waiting", (own, claimed) -> own.waiting()),
                call("claim", (own, claimed) -> own.claim(claimed, granted -> {})),
                call("release", (own, claimed) -> own.release(claimed)),
                call("reroute", (own, claimed) -> own.reroute(claimed, 7)),
                call("retry", (own, claimed) -> own.retry(claimed, 20, null)),
                call("postpone", (own, claimed) -> own.postpone(claimed, 20)),
                call("spawn", (own, claimed) -> own.spawn(new SpawnCommand(claimed, 20, new byte[1], null), ignored())),
                call("finish", (own, claimed) -> own.finish(claimed, TimerState.COMPLETED, null)),
                call("holds", (own, claimed) -> own.holds(claimed)),
                call("queues", (own, claimed) -> own.queues(ignored())),
                call(
                        "countDue",
                        (own, claimed) ->
                                own.countDue(new DueCountQuery("q", 0, DueCountQuery.MIN_BUCKET_MS, 1), ignored())),
                call("liveCount", (own, claimed) -> own.liveCount()),
                call("work", (own, claimed) -> own.work(100)));
    }
}
