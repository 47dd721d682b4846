package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Calendar;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.RoomyListener;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The ends of attempts, for which nobody waits, share syncs; with a clock that is moved by hand. */
class GatheringTest {

    private static final int TIMERS = 400;
    private static final long MS = 1_000_000;

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final ArrayDeque<Runnable> log = new ArrayDeque<>();
    private final List<PendingTimer> loaded = new ArrayList<>();
    private final List<ClaimedTimer> claimed = new ArrayList<>();
    private Calendar calendar;
    private long nowNanos = Long.MAX_VALUE - 5 * MS;
    private int ended;

    private Calendar open() {
        StoreContext context = new StoreContext(log::addLast, task -> {}, () -> {}, () -> 1L, () -> nowNanos, n -> {});
        return FileTimerStore.in(disk.path("/data")).withSegmentBytes(1 << 20).open(context, new RoomyListener() {
            @Override
            public void loaded(PendingTimer timer) {
                loaded.add(timer);
            }
        });
    }

    /** A store with timers that are claimed, and a log that has rested since for as long as is to be seen. */
    @BeforeEach
    void claimAll() {
        calendar = open();
        for (int i = 0; i < TIMERS; i++) {
            calendar.schedule(
                    new ScheduleCommand(key(i), 5_000, new byte[3], OnConflict.REPLACE, 0),
                    PlainStore.answer((Scheduled scheduled) -> {}));
        }
        turn();
        turn();
        assertThat(calendar.load(5_000, 5_001, TIMERS + 1)).isTrue();
        for (PendingTimer timer : loaded) {
            calendar.claim(timer, claimed::add);
        }
        assertThat(claimed).hasSize(TIMERS);
        nowNanos += 10 * MS;
        turn();
        turn();
        nowNanos += 10 * MS;
        assertThat(turn()).isZero();
    }

    private static TimerKey key(int number) {
        return new TimerKey("q", "k" + number);
    }

    private void end() {
        assertThat(calendar.finish(claimed.get(ended++).handle(), TimerState.COMPLETED))
                .isTrue();
    }

    /** A turn of the loop, and what the log's executor makes of it. Returns how many syncs that took. */
    private long turn() {
        long before = disk.syncs();
        calendar.work(TIMERS);
        for (Runnable task = log.poll(); task != null; task = log.poll()) {
            task.run();
        }
        return disk.syncs() - before;
    }

    /** The first end, which is written at once, and another one. */
    private void endTwo() {
        end();
        assertThat(turn()).isEqualTo(1);
        end();
        assertThat(turn()).isZero();
    }

    /** How many have ended when the store is opened again after the power is lost. */
    private int endedAfterACrash() {
        disk.crash(CrashKind.POWER_LOSS_MINIMAL);
        log.clear();
        calendar = open();
        List<TimerState> states = new ArrayList<>();
        for (int i = 0; i < TIMERS; i++) {
            calendar.find(
                    key(i),
                    PlainStore.answer((List<TimerView> views) -> views.forEach(view -> states.add(view.state()))));
        }
        for (int i = 0; i < 10; i++) {
            turn();
        }
        assertThat(states).hasSize(TIMERS);
        return (int) states.stream().filter(TimerState.COMPLETED::equals).count();
    }

    @Test
    void anEndAfterARestIsWrittenAtOnce() {
        end();
        assertThat(calendar.idleNanos()).isZero();
        assertThat(turn()).isEqualTo(1);
        assertThat(endedAfterACrash()).isEqualTo(1);
    }

    @Test
    void endsThatFollowShareASyncAfterTwoMilliseconds() {
        endTwo();
        nowNanos += MS;
        end();
        assertThat(turn()).isZero();
        assertThat(calendar.idleNanos()).isEqualTo(MS);
        nowNanos += MS - 1;
        assertThat(turn()).isZero();
        nowNanos += 1;
        assertThat(calendar.idleNanos()).isZero();
        assertThat(turn()).isEqualTo(1);
        end();
        assertThat(turn()).as("two milliseconds from that one on").isZero();
        assertThat(endedAfterACrash()).isEqualTo(3);
    }

    @Test
    void whoeverLooksHasAllWrittenAtOnce() {
        endTwo();
        List<TimerState> seen = new ArrayList<>();
        calendar.find(
                key(1),
                PlainStore.answer(
                        (List<TimerView> views) -> seen.add(views.get(0).state())));
        calendar.work(1);
        assertThat(seen).as("before the sync").isEmpty();
        assertThat(turn()).isEqualTo(1);
        calendar.work(1);
        assertThat(seen).containsExactly(TimerState.COMPLETED);
        assertThat(endedAfterACrash()).isEqualTo(2);
    }

    @Test
    void aScheduleTakesTheEndsBeforeItAlong() {
        endTwo();
        calendar.schedule(
                new ScheduleCommand(new TimerKey("q", "more"), 9_000, new byte[3], OnConflict.REPLACE, 0),
                PlainStore.answer((Scheduled scheduled) -> {}));
        assertThat(turn()).isEqualTo(1);
        assertThat(endedAfterACrash()).isEqualTo(2);
    }

    @Test
    void aFrameThatIsWorthASyncIsWritten() {
        end();
        turn();
        PastAttempt withReason = new PastAttempt(1, 1, 0, 0, 0, "-".repeat(PastAttempt.MOST_REASON_BYTES), "");
        long syncs = 0;
        while (syncs == 0 && ended < TIMERS) {
            assertThat(calendar.finish(claimed.get(ended++).handle(), TimerState.COMPLETED, withReason))
                    .isTrue();
            syncs = turn();
        }
        assertThat(syncs).isEqualTo(1);
        assertThat(ended).isBetween(200, 350);
        assertThat(endedAfterACrash()).isEqualTo(ended);
    }

    @Test
    void aCloseWaitsForNothing() {
        endTwo();
        calendar.handOver();
        assertThat(turn()).isEqualTo(1);
        end();
        assertThat(turn()).isEqualTo(1);
        assertThat(endedAfterACrash()).isEqualTo(3);
    }
}
