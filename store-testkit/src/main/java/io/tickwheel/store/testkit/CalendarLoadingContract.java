package io.tickwheel.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.Lane;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.WaitingLane;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What every calendar must do when it loads: which timers come, in which order, and what a lane may take from the others. A part of
 * {@link CalendarContract}.
 */
public abstract class CalendarLoadingContract extends CalendarFixture {

    private static final int SMALLEST_ROOM = 1_024;
    private static final long HOUR_MS = 3_600_000;

    /** How far from its place in the order of all, in hundredths of all, a timer may come. */
    private static final int OUT_OF_ORDER_PERCENT = 10;

    private void scheduleAll(List<ScheduleCommand> commands) {
        List<Reply<?>> replies = new ArrayList<>();
        for (ScheduleCommand command : commands) {
            replies.add(begin(command));
            if (replies.size() % 1_000 == 0) {
                settle();
            }
        }
        settle();
        replies.forEach(Reply::get);
    }

    private static ScheduleCommand timerOf(String queue, String key, long dueAtMs, long route) {
        return new ScheduleCommand(
                new TimerKey(queue, key),
                dueAtMs,
                key.getBytes(StandardCharsets.UTF_8),
                route,
                OnConflict.REPLACE,
                0,
                null);
    }

    private static List<ScheduleCommand> timersOf(String queue, int count, long firstMs, long stepMs) {
        List<ScheduleCommand> timers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            timers.add(timerOf(queue, queue + "-" + i, firstMs + i * stepMs, Lane.QUEUE_ROUTE));
        }
        return timers;
    }

    /** Loads until nothing more comes. */
    private void loadWhatFits(long nowMs) {
        int before;
        int unchanged = 0;
        do {
            before = index.timers.size();
            calendar.load(nowMs, nowMs + 5_000, 1_000);
            settle();
            unchanged = index.timers.size() == before ? unchanged + 1 : 0;
        } while (unchanged < 3);
    }

    private List<String> loadedKeys() {
        return index.timers.stream().map(timer -> timer.key().key()).toList();
    }

    private long loadedOf(String queue) {
        return index.timers.stream()
                .filter(timer -> timer.lane().queue().equals(queue))
                .count();
    }

    private ClaimedTimer claim(PendingTimer timer) {
        List<ClaimedTimer> granted = new ArrayList<>();
        calendar.claim(timer, claimed -> {
            index.timers.remove(claimed.handle());
            granted.add(claimed);
        });
        settle();
        assertThat(granted).hasSize(1);
        return granted.get(0);
    }

    @Test
    void timersOfALaneThatCannotStartTakeNoRoom() {
        Lane stuck = new Lane("stuck", Lane.QUEUE_ROUTE);
        index.blocked.add(stuck);
        scheduleAll(timersOf("stuck", 50, 1_000, 7));
        scheduleAll(timersOf("well", 20, 1_100, 7));
        for (int life = 0; life < 2; life++) {
            loadWhatFits(HOUR_MS);
            assertThat(loadedOf("well")).isEqualTo(20);
            assertThat(loadedOf("stuck")).isZero();
            assertThat(calendar.loadedTo()).as("of the lanes that may start").isGreaterThan(HOUR_MS);
            assertThat(calendar.waiting()).extracting(WaitingLane::lane).containsExactly(stuck);
            assertThat(calendar.waiting().get(0).sinceMs()).isLessThanOrEqualTo(1_000);
            crash();
        }
        scheduleAll(timersOf("stuck", 1, 500, 1));
        loadWhatFits(HOUR_MS);
        assertThat(loadedOf("stuck")).isZero();
        index.blocked.clear();
        calendar.resume(stuck);
        loadWhatFits(HOUR_MS);
        assertThat(loadedOf("stuck")).as("one of them with an earlier time").isEqualTo(50);
        assertThat(calendar.waiting()).isEmpty();
    }

    @Test
    void nothingIsDueBeforeTheFirstToLoad() {
        long day = 24 * HOUR_MS;
        for (long dueAtMs : new long[] {90 * day, 7 * day, 30 * day}) {
            scheduleAll(List.of(timerOf("q", "at" + dueAtMs, dueAtMs, 7)));
            loadWhatFits(HOUR_MS);
            assertThat(calendar.firstToLoad())
                    .isGreaterThanOrEqualTo(calendar.loadedTo())
                    .isLessThanOrEqualTo(Math.min(dueAtMs, 7 * day + (dueAtMs > 30 * day ? 90 * day : 0)));
        }
        crash();
        loadWhatFits(HOUR_MS);
        assertThat(calendar.firstToLoad())
                .isGreaterThanOrEqualTo(calendar.loadedTo())
                .isLessThanOrEqualTo(7 * day);
        loadWhatFits(7 * day);
        assertThat(loadedOf("q")).isEqualTo(1);
        assertThat(calendar.firstToLoad()).isGreaterThan(7 * day).isLessThanOrEqualTo(30 * day);
    }

    @Test
    void timersWithADestinationOfTheirOwnAreALaneOfTheirOwn() {
        index.blocked.add(new Lane("q", Lane.QUEUE_ROUTE));
        index.blocked.add(new Lane("q", 7));
        scheduleAll(List.of(
                timerOf("q", "none", 1, Lane.QUEUE_ROUTE),
                timerOf("q", "seven", 2, 7),
                timerOf("q", "last", 3, Lane.MAX_ROUTE),
                timerOf("q", "eight", 4, 8)));
        for (int life = 0; life < 3; life++) {
            loadWhatFits(HOUR_MS);
            assertThat(loadedKeys()).containsExactlyInAnyOrder("last", "eight");
            assertThat(index.only("last").lane().route()).isEqualTo(Lane.MAX_ROUTE);
            assertThat(index.only("eight").lane().route()).isEqualTo(8);
            if (life == 0) {
                restart();
            } else {
                crash();
            }
        }
        PendingTimer retried = loadedAfter("eight");
        calendar.retry(claim(retried).handle(), HOUR_MS - 1);
        settle();
        assertThat(loadedAfter("eight").lane().route()).isEqualTo(8);
    }

    private PendingTimer loadedAfter(String key) {
        loadWhatFits(HOUR_MS);
        return index.only(key);
    }

    @Test
    void reroutedTimerWaitsInItsNewLane() {
        Lane blocked = new Lane("q", Lane.QUEUE_ROUTE);
        scheduleAll(List.of(timerOf("q", "a", 1, 5), timerOf("q", "b", 2, 5)));
        index.blocked.add(blocked);
        loadWhatFits(HOUR_MS);
        TimerView before = find("a").get(0);
        calendar.reroute(claim(index.only("a")).handle(), Lane.QUEUE_ROUTE);
        loadWhatFits(HOUR_MS);
        assertThat(loadedKeys()).containsExactly("b");
        assertThat(find("a")).containsExactly(before);
        assertThat(calendar.liveCount()).isEqualTo(2);
        for (int life = 0; life < 2; life++) {
            crash();
            loadWhatFits(HOUR_MS);
            assertThat(loadedKeys()).containsExactly("b");
            assertThat(calendar.waiting()).extracting(WaitingLane::lane).containsExactly(blocked);
        }
        assertThat(find("a")).containsExactly(before);
        index.blocked.clear();
        calendar.resume(blocked);
        loadWhatFits(HOUR_MS);
        assertThat(claim(index.only("a")).view().attempts()).isEqualTo(1);
    }

    @Test
    void replacedTimerIsNotRerouted() {
        scheduleAll(List.of(timerOf("q", "a", 1, 5)));
        loadWhatFits(HOUR_MS);
        ClaimedTimer old = claim(index.only("a"));
        schedule(timerOf("q", "a", 2, 6));
        calendar.reroute(old.handle(), Lane.QUEUE_ROUTE);
        loadWhatFits(HOUR_MS);
        assertThat(index.only("a").lane().route()).isEqualTo(6);
        assertThat(calendar.liveCount()).isEqualTo(1);
    }

    @Test
    void backlogOfALaneLeavesRoomForOthers() {
        restartWithRoomFor(SMALLEST_ROOM);
        scheduleAll(timersOf("bulk", SMALLEST_ROOM, 1_000, 1));
        scheduleAll(timersOf("few", 8, 50_000, 1));
        loadWhatFits(HOUR_MS);
        assertThat(loadedOf("bulk")).isBetween(100L, SMALLEST_ROOM / 2L);
        assertThat(loadedOf("few")).isEqualTo(8);
        assertThat(index.room.taken()).isLessThanOrEqualTo(SMALLEST_ROOM);
        assertThat(calendar.waiting())
                .extracting(WaitingLane::lane)
                .containsExactly(new Lane("bulk", Lane.QUEUE_ROUTE));
    }

    @Test
    void unloadedTimersAreLoadedAgain() {
        scheduleAll(timersOf("q", 24, 1_000, 1_000));
        scheduleAll(List.of(timerOf("q", "later", HOUR_MS, Lane.QUEUE_ROUTE)));
        for (int life = 0; life < 2; life++) {
            loadWhatFits(20_000);
            assertThat(loadedKeys()).hasSize(24);
            Lane lane = new Lane("q", Lane.QUEUE_ROUTE);
            index.blocked.add(lane);
            calendar.suspend(lane);
            for (PendingTimer timer : List.copyOf(index.timers)) {
                if (timer.attemptAtMs() % 2_000 == 0) {
                    index.timers.remove(timer);
                    calendar.unload(timer);
                }
            }
            assertThat(index.room.taken()).isEqualTo(12);
            schedule(timerOf("q", "another" + life, 7_500, Lane.QUEUE_ROUTE));
            loadWhatFits(20_000);
            assertThat(loadedKeys()).as("while it may not start").hasSize(12);
            assertThat(calendar.waiting()).extracting(WaitingLane::lane).containsExactly(lane);
            assertThat(calendar.waiting().get(0).sinceMs()).isLessThanOrEqualTo(2_000);
            index.blocked.clear();
            calendar.resume(lane);
            loadWhatFits(20_000);
            assertThat(loadedKeys()).hasSize(25);
            assertThat(cancel("another" + life).outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
            restart();
        }
    }

    @Test
    void unloadedTimerCanBeCancelledAndReplaced() {
        Lane lane = new Lane("q", Lane.QUEUE_ROUTE);
        loadAll();
        for (String key : List.of("a", "b", "c")) {
            schedule(timer(key, 1_000));
        }
        index.blocked.add(lane);
        calendar.suspend(lane);
        for (PendingTimer timer : List.copyOf(index.timers)) {
            index.timers.remove(timer);
            calendar.unload(timer);
        }
        assertThat(cancel("a").outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        schedule(timer("b", 2_000));
        assertThat(index.timers).isEmpty();
        index.blocked.clear();
        calendar.resume(lane);
        loadAll();
        assertThat(loadedKeys()).containsExactlyInAnyOrder("b", "c");
        assertThat(loaded("b").attemptAtMs()).isEqualTo(2_000);
    }

    /** How far the place of a timer of a backlog may be from its rank, in percent of the backlog. */
    protected int outOfOrderPercent() {
        return OUT_OF_ORDER_PERCENT;
    }

    @Test
    void backlogIsLoadedOldestFirstAmongTheLanes() {
        int lanes = 12;
        int each = 150;
        restartWithRoomFor(SMALLEST_ROOM);
        List<ScheduleCommand> all = new ArrayList<>();
        for (int i = 0; i < lanes * each; i++) {
            // Equal lanes, mixed up: what matters is the time, not who comes first.
            String queue = "q" + i * 7 % lanes;
            all.add(timerOf(queue, Integer.toString(i), 1_000 + i * 10L, Lane.QUEUE_ROUTE));
        }
        scheduleAll(all);
        List<Integer> order = new ArrayList<>();
        while (order.size() < all.size()) {
            loadWhatFits(HOUR_MS);
            List<PendingTimer> oldest = index.timers.stream()
                    .sorted(Comparator.comparingLong(PendingTimer::attemptAtMs))
                    .limit(40)
                    .toList();
            assertThat(oldest).as("something is loaded").isNotEmpty();
            for (PendingTimer timer : oldest) {
                order.add(Integer.parseInt(timer.key().key()));
                calendar.claim(timer, claimed -> {
                    index.timers.remove(claimed.handle());
                    calendar.finish(claimed.handle(), TimerState.COMPLETED);
                });
            }
            settle();
        }
        int allowed = all.size() * outOfOrderPercent() / 100;
        for (int place = 0; place < order.size(); place++) {
            assertThat(order.get(place)).as("the place %s", place).isBetween(place - allowed, place + allowed);
        }
    }

    @Test
    void freshTimersComeBesideABacklog() {
        restartWithRoomFor(SMALLEST_ROOM);
        scheduleAll(timersOf("q", 2_000, 1_000, 1));
        loadWhatFits(HOUR_MS);
        long before = loadedOf("q");
        List<ScheduleCommand> fresh = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            fresh.add(timerOf("q", "fresh" + i, HOUR_MS - i, Lane.QUEUE_ROUTE));
        }
        scheduleAll(fresh);
        loadWhatFits(HOUR_MS);
        assertThat(loadedKeys()).as("beside %s of the backlog", before).contains("fresh0", "fresh50", "fresh99");
    }

    @Test
    void failedAttemptLeavesTheDueTimeAsItIs() {
        schedule(timer("a", 2_000));
        loadAll();
        assertThat(find("a").get(0).attemptAtMs()).isEqualTo(2_000);
        for (long attemptAtMs : new long[] {9_000, 70_000}) {
            calendar.retry(claim("a").handle(), attemptAtMs);
            loadAll();
            TimerView retried = find("a").get(0);
            assertThat(retried.dueAtMs()).isEqualTo(2_000);
            assertThat(retried.attemptAtMs()).isEqualTo(attemptAtMs);
            restart();
            loadAll();
            assertThat(find("a")).containsExactly(retried);
            ClaimedTimer claimed = claim("a");
            assertThat(claimed.view().dueAtMs()).isEqualTo(2_000);
            assertThat(claimed.view().attemptAtMs()).isEqualTo(attemptAtMs);
            calendar.release(claimed.handle());
            index.timers.add(claimed.handle());
            settle();
        }
        calendar.finish(claim("a").handle(), TimerState.DEAD);
        restart();
        assertThat(find("a").get(0).dueAtMs()).isEqualTo(2_000);
        schedule(timer("a", 5_000));
        assertThat(find("a").get(0).attemptAtMs()).as("of a new timer").isEqualTo(5_000);
    }

    @Test
    void loadedTimerKnowsAboutHowLargeItIs() {
        byte[] large = new byte[100_000];
        schedule(new ScheduleCommand(key("large"), 1, large, OnConflict.REPLACE, 0));
        schedule(timer("small", 2));
        for (int life = 0; life < 2; life++) {
            loadAll();
            assertThat(loaded("large").contentBytes()).isBetween(large.length, large.length + 1_000);
            assertThat(loaded("small").contentBytes()).isBetween(0, 8_192);
            restart();
        }
    }
}
