package io.tickwheel.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.TimerCursor;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Lists of timers, and how many there are: of a queue, in a state, due when. */
public abstract class CalendarQueryContract extends CalendarSpawnContract {

    @Test
    void countsFollowTheStates() {
        loadAll();
        for (String key : List.of("pending", "claimed", "dead", "done", "cancelled")) {
            schedule(timer(key, 1));
        }
        claim("claimed");
        calendar.finish(claim("dead").handle(), TimerState.DEAD);
        calendar.finish(claim("done").handle(), TimerState.COMPLETED);
        cancel("cancelled");
        assertThat(queues()).containsExactly(new QueueCounts("q", 1, 1, 1));
        assertThat(calendar.liveCount()).isEqualTo(2);
        settle();
        crash();
        assertThat(queues()).containsExactly(new QueueCounts("q", 2, 0, 1));
    }

    private List<QueueCounts> queues() {
        Reply<List<QueueCounts>> reply = new Reply<>();
        calendar.queues(reply);
        settle();
        return reply.get();
    }

    private TimerPage list(TimerQuery query) {
        Reply<TimerPage> reply = new Reply<>();
        calendar.list(query, reply);
        settle();
        assertThat(reply.get().timers()).hasSizeLessThanOrEqualTo(query.limit());
        return reply.get();
    }

    private List<TimerView> listAll(TimerQuery query) {
        TimerPage page = list(query);
        List<TimerView> all = new ArrayList<>(page.timers());
        while (page.next() != null) {
            page = list(query.withAfter(TimerCursor.parse(page.next().text())));
            all.addAll(page.timers());
        }
        return all;
    }

    private List<String> listedKeys(TimerQuery query) {
        return listAll(query).stream().map(timer -> timer.key().key()).toList();
    }

    @Test
    void listIsInTheOrderOfDueTimeAndThenOfAge() {
        List<TimerView> scheduled = new ArrayList<>();
        for (long dueAtMs :
                new long[] {7, 5, ScheduleCommand.FARTHEST_DUE_MS, 7, -3, 5, -ScheduleCommand.FARTHEST_DUE_MS, 6}) {
            scheduled.add(schedule(timer("k" + scheduled.size(), dueAtMs)).timer());
        }
        assertThat(listedKeys(TimerQuery.of("q"))).containsExactly("k6", "k4", "k1", "k5", "k7", "k0", "k3", "k2");
        assertThat(listAll(TimerQuery.of("q").withLimit(3))).containsExactlyInAnyOrderElementsOf(scheduled);
        assertThat(listAll(TimerQuery.of("other"))).isEmpty();
    }

    @Test
    void pagesShowEachTimerOnceThoughTheStoreIsRestartedBetween() {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            schedule(timer("k" + i, i / 10 * 100_000_000L));
            keys.add("k" + i);
        }
        TimerQuery query = TimerQuery.of("q").withLimit(7);
        TimerPage page = list(query);
        List<String> shown = new ArrayList<>();
        for (int pages = 1; ; pages++) {
            page.timers().forEach(timer -> shown.add(timer.key().key()));
            if (page.next() == null) {
                break;
            }
            // The last one shown goes, and so does what is still to come elsewhere.
            cancel(shown.get(shown.size() - 1));
            if (pages % 4 == 0) {
                crash();
            } else if (pages % 4 == 2) {
                restart();
            }
            page = list(query.withAfter(page.next()));
        }
        assertThat(shown).containsExactlyElementsOf(keys);
    }

    @Test
    void listShowsWhatIsAskedFor() {
        for (int i = 0; i < 30; i++) {
            schedule(timer((i % 3 == 0 ? "a-" : "b-") + i, i * 1_000L));
            schedule(new ScheduleCommand(new TimerKey("q2", "a-" + i), i * 1_000L, new byte[0], OnConflict.REPLACE, 0));
        }
        TimerQuery all = TimerQuery.of("q").withLimit(4);
        assertThat(listedKeys(all.withKeyPrefix("a-1"))).containsExactly("a-12", "a-15", "a-18");
        assertThat(listedKeys(all.withDue(3_000, 6_000))).containsExactly("a-3", "b-4", "b-5");
        assertThat(listedKeys(all.withDue(3_000, 3_000))).isEmpty();
        assertThat(listedKeys(all.withDue(25_001, Long.MAX_VALUE))).containsExactly("b-26", "a-27", "b-28", "b-29");
        assertThat(listedKeys(all.withKeyPrefix("b-").withDue(27_000, 40_000))).containsExactly("b-28", "b-29");
        assertThat(listedKeys(TimerQuery.of("q2").withDue(0, 2_000))).containsExactly("a-0", "a-1");
    }

    /** What waits for its next attempt comes then, whenever it was first due; what is dead stays where its last attempt was. */
    @Test
    void whatWasTriedIsListedAndCountedByTheTimeOfItsAttempt() {
        loadAll();
        schedule(timer("tried", 1));
        schedule(timer("dead", 2));
        schedule(timer("later", 3_000));
        calendar.retry(claim("tried").handle(), 5_000);
        calendar.finish(claim("dead").handle(), TimerState.DEAD);
        TimerQuery all = TimerQuery.of("q");
        for (int i = 0; i < 2; i++) {
            assertThat(listedKeys(all)).containsExactly("dead", "later", "tried");
            assertThat(listedKeys(all.withDue(0, 5_000))).containsExactly("dead", "later");
            assertThat(listedKeys(all.withDue(5_000, 5_001))).containsExactly("tried");
            assertThat(countDue("q", 0, 1_000, 6)).containsExactly(0L, 0L, 0L, 1L, 0L, 1L);
            restart();
        }
    }

    @Test
    void listTellsTheStates() {
        loadAll();
        for (String key : List.of("pending", "claimed", "dead", "done", "cancelled", "expired")) {
            schedule(timer(key, 1));
        }
        claim("claimed");
        calendar.finish(claim("dead").handle(), TimerState.DEAD);
        calendar.finish(claim("done").handle(), TimerState.COMPLETED);
        calendar.finish(claim("expired").handle(), TimerState.EXPIRED);
        cancel("cancelled");
        TimerQuery query = TimerQuery.of("q");
        assertThat(listedKeys(query)).containsExactlyInAnyOrder("pending", "claimed", "dead");
        assertThat(listAll(query.withState(TimerState.CLAIMED))).containsExactlyElementsOf(find("claimed"));
        for (int life = 0; life < 2; life++) {
            assertThat(listAll(query.withState(TimerState.DEAD))).containsExactlyElementsOf(find("dead"));
            assertThat(listAll(query.withState(TimerState.PENDING))).containsAll(find("pending"));
            settle();
            crash();
        }
        assertThat(listedKeys(query.withState(TimerState.PENDING))).containsExactlyInAnyOrder("pending", "claimed");
        assertThat(listedKeys(query.withState(TimerState.CLAIMED))).isEmpty();
    }

    @Test
    void listAndCountWaitUntilWhatTheyShowIsDurable() {
        begin(timer("a", 5_000));
        Reply<TimerPage> page = new Reply<>();
        Reply<DueCounts> counts = new Reply<>();
        calendar.list(TimerQuery.of("q"), page);
        calendar.countDue(new DueCountQuery("q", 0, 10_000, 1), counts);
        calendar.work(10);
        assertThat(page.isGiven()).isFalse();
        assertThat(counts.isGiven()).isFalse();
        settle();
        assertThat(page.get().timers()).hasSize(1);
        assertThat(counts.get().counts()).containsExactly(1L);
    }

    private List<Long> countDue(@Nullable String queue, long fromMs, long bucketMs, int buckets) {
        Reply<DueCounts> reply = new Reply<>();
        calendar.countDue(new DueCountQuery(queue, fromMs, bucketMs, buckets), reply);
        settle();
        assertThat(reply.get().fromMs()).isEqualTo(fromMs);
        assertThat(reply.get().bucketMs()).isEqualTo(bucketMs);
        return reply.get().counts();
    }

    @Test
    void liveTimersAreCountedByWhenTheyComeDue() {
        loadAll();
        for (int i = 0; i < 60; i++) {
            schedule(timer("k" + i, i * 100L));
            schedule(new ScheduleCommand(new TimerKey("q2", "k" + i), i * 100L, new byte[0], OnConflict.REPLACE, 0));
        }
        assertThat(countDue("q", 0, 1_000, 7)).containsExactly(10L, 10L, 10L, 10L, 10L, 10L, 0L);
        cancel("k5");
        schedule(timer("k6", 6_000));
        loadAll();
        claimOf("k7");
        calendar.finish(claimOf("k8").handle(), TimerState.DEAD);
        calendar.finish(claimOf("k9").handle(), TimerState.COMPLETED);
        calendar.retry(claimOf("k10").handle(), 2_999);
        for (int life = 0; life < 2; life++) {
            assertThat(countDue("q", 0, 1_000, 7)).containsExactly(6L, 9L, 11L, 10L, 10L, 10L, 1L);
            assertThat(countDue(null, 0, 3_000, 2)).containsExactly(56L, 60L);
            assertThat(countDue(null, -7_000, 7_000, 2)).containsExactly(0L, 117L);
            assertThat(countDue("q", 100, 1_000, 1)).as("from the first on").containsExactly(5L);
            assertThat(countDue("nobody", 0, 1_000, 2)).containsExactly(0L, 0L);
            settle();
            crash();
        }
    }

    @Test
    void timersThatAreClaimedAreCountedFromTheFirstMillisecondToTheLast() {
        loadAll();
        for (int i = 0; i <= 4; i++) {
            schedule(timer("k" + i, i * 1_000L));
        }
        loadAll();
        for (int i = 0; i <= 4; i++) {
            claimOf("k" + i);
        }
        assertThat(countDue("q", 1_000, 1_000, 2)).containsExactly(1L, 1L);
        assertThat(countDue("q", 1_001, 2_999, 1)).containsExactly(2L);
        assertThat(countDue("q", 0, 1_000, 5)).containsExactly(1L, 1L, 1L, 1L, 1L);
    }

    private ClaimedTimer claimOf(String key) {
        index.timers.removeIf(timer -> !timer.lane().queue().equals("q"));
        return claim(key);
    }
}
