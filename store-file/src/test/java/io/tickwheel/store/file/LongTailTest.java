package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.RoomyListener;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** An owner that dies leaves a tail of its log, which the next one copies: in pieces, when it is longer than a buffer. */
final class LongTailTest {

    private static final int ROUNDS = 3;
    private static final int TIMERS = 700;
    private static final int CONTENT_BYTES = 5_003;

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private Calendar calendar;

    private void open() {
        tasks.clear();
        calendar = FileTimerStore.in(disk.path("/data"))
                .withSegmentBytes(8 << 20)
                .withCheckpointBytes(64 << 20)
                .open(
                        new StoreContext(tasks::addLast, tasks::addLast, () -> {}, () -> 1L, () -> 0L, nanos -> {}),
                        new RoomyListener() {
                            @Override
                            public void loaded(PendingTimer timer) {
                                throw new AssertionError(timer);
                            }

                            @Override
                            public void unloaded(PendingTimer timer) {
                                throw new AssertionError(timer);
                            }
                        });
        settle();
    }

    private void settle() {
        do {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
        } while (calendar.work(100) > 0 || !tasks.isEmpty() || !calendar.isQuiet());
    }

    private static <T> Answer<T> into(List<T> answers) {
        return new Answer<>() {
            @Override
            public void accept(T result) {
                answers.add(result);
            }

            @Override
            public void fail(StoreException failure) {
                throw failure;
            }
        };
    }

    private static TimerKey key(int round, int timer) {
        return new TimerKey("q", round + "-" + timer);
    }

    private static byte[] content(int round, int timer) {
        byte[] content = new byte[CONTENT_BYTES + timer % 100];
        new Random(round * 1_000_000L + timer).nextBytes(content);
        return content;
    }

    @Test
    void everythingInItIsThereHoweverOftenItIsCopied() {
        for (int round = 0; round < ROUNDS; round++) {
            open();
            for (int timer = 0; timer < TIMERS; timer++) {
                calendar.schedule(
                        new ScheduleCommand(key(round, timer), 1_000, content(round, timer), OnConflict.REPLACE, 0),
                        into(new ArrayList<>()));
            }
            settle();
            disk.crash(CrashKind.POWER_LOSS);
        }
        open();
        assertThat(calendar.liveCount()).isEqualTo((long) ROUNDS * TIMERS);
        for (int round = 0; round < ROUNDS; round++) {
            for (int timer = 0; timer < TIMERS; timer++) {
                List<List<StoredTimer>> found = new ArrayList<>();
                calendar.read(key(round, timer), into(found));
                settle();
                assertThat(found.get(0).get(0).content()).isEqualTo(content(round, timer));
            }
        }
    }
}
