package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An owner that dies leaves a tail of its log, which the next one copies: in pieces, when it is longer than a buffer. */
@Tag("simulated")
final class LongTailTest {

    private static final int ROUNDS = 3;
    private static final int TIMERS = 700;
    private static final int CONTENT_BYTES = 5_003;

    private final SimulatedDisk disk = new SimulatedDisk(1);

    private PlainStore open() {
        PlainStore store = new PlainStore(
                FileTimerStore.in(disk.path("/data")).withSegmentBytes(8 << 20).withCheckpointBytes(64 << 20));
        store.settle();
        return store;
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
            PlainStore store = open();
            for (int timer = 0; timer < TIMERS; timer++) {
                store.calendar.schedule(
                        new ScheduleCommand(key(round, timer), 1_000, content(round, timer), OnConflict.REPLACE, 0),
                        PlainStore.into(new ArrayList<>()));
            }
            store.settle();
            disk.crash(CrashKind.POWER_LOSS);
        }
        PlainStore store = open();
        assertThat(store.calendar.liveCount()).isEqualTo((long) ROUNDS * TIMERS);
        for (int round = 0; round < ROUNDS; round++) {
            for (int timer = 0; timer < TIMERS; timer++) {
                List<List<StoredTimer>> found = new ArrayList<>();
                store.calendar.read(key(round, timer), PlainStore.into(found));
                store.settle();
                assertThat(found.get(0).get(0).content()).isEqualTo(content(round, timer));
            }
        }
    }
}
