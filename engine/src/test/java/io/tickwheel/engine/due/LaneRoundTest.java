package io.tickwheel.engine.due;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Lane;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which lanes are looked at in a turn, and whose turn it is. */
final class LaneRoundTest {

    private static final long NOW = 1_000_000_000_000L;
    private static final long NOW_MS = 2_000_000_000_000L;
    private static final long LOOK_ON_NANOS = 1_000_000;

    /** Of a queue with several lanes twenty attempts may run, and of doubtful ones ten. */
    private final Credits credits = new Credits(1_000, 20, Long.MAX_VALUE);

    private final LaneRound backlog = new LaneRound(false, new HeldBackLanes(), lane -> {});
    private final QueueCredits full = new QueueCredits("full");
    private final List<DueLane> inFull = new ArrayList<>();
    private long routes;

    private DueLane lane(QueueCredits queue) {
        queue.laneCame();
        return new DueLane(new Lane(queue.queue, ++routes), queue, Health.unknown());
    }

    private static void makeDoubtful(DueLane lane) {
        lane.noteEnd(NOW, lane.health(), false, NOW);
    }

    /** Has a lane take its turn with one overdue timer. */
    private DueLane wait(DueLane lane) {
        lane.add(new DueTimer(new WaitingTimer(lane.lane, NOW_MS - 10_000)), NOW_MS, NOW);
        backlog.enter(lane);
        return lane;
    }

    private @Nullable DueLane next() {
        DueTimer next = backlog.next(credits, NOW_MS, NOW);
        if (next == null) {
            return null;
        }
        next.leave();
        return next.lane();
    }

    /** Has ten attempts of the queue run, and so many of its doubtful lanes wait. */
    private void fill(int waiting) {
        for (int i = 0; i < 10; i++) {
            inFull.add(lane(full));
            credits.take(inFull.get(i), 0, NOW);
        }
        for (int i = 0; i < waiting; i++) {
            DueLane lane = lane(full);
            makeDoubtful(lane);
            wait(lane);
        }
        backlog.begin(credits);
        assertThat(next()).isNull();
    }

    @Test
    void doubtfulLanesAreLookedAtAFewATurn() {
        fill(200);
        DueLane other = lane(new QueueCredits("other"));
        other.credits.laneCame();
        makeDoubtful(other);
        // Behind all others, where it has stood since its queue was full.
        for (int i = 0; i < 10; i++) {
            credits.take(other, 0, NOW);
        }
        wait(other);
        backlog.begin(credits);
        assertThat(next()).isNull();
        for (int i = 0; i < 10; i++) {
            credits.giveBack(other, 0);
        }
        int turns = 0;
        DueLane found = null;
        while (found == null) {
            assertThat(backlog.nanosToLookOn()).isEqualTo(LOOK_ON_NANOS);
            backlog.begin(credits);
            found = next();
            turns++;
        }
        assertThat(found).isSameAs(other);
        assertThat(turns).isBetween(2, 4);
        while (backlog.nanosToLookOn() == LOOK_ON_NANOS) {
            backlog.begin(credits);
            assertThat(next()).isNull();
            assertThat(turns++).isLessThan(10);
        }
        assertThat(backlog.nanosToLookOn()).as("all were looked at in vain").isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void laneStandsInTheRoundOnce() {
        DueLane lane = wait(lane(full));
        wait(lane);
        List<DueLane> visited = new ArrayList<>();
        backlog.forEach(visited::add);
        assertThat(visited).containsExactly(lane);
        assertThat(next()).isSameAs(lane);
        backlog.enter(lane);
        assertThat(next()).as("with its second timer").isSameAs(lane);
        backlog.enter(lane);
        assertThat(next()).as("without a timer").isNull();
    }

    @Test
    void anotherTurnLooksAtThemAgain() {
        fill(3);
        assertThat(backlog.nanosToLookOn()).isEqualTo(Long.MAX_VALUE);
        credits.giveBack(inFull.get(0), 0);
        assertThat(next()).as("in the same turn").isNull();
        backlog.begin(credits);
        DueLane first = next();
        assertThat(first).isNotNull();
        credits.take(first, 0, NOW);
        assertThat(next()).isNull();
        assertThat(backlog.nanosToLookOn()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void doubtfulLanesTakeTurnsWithOthers() {
        List<DueLane> doubtful = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            doubtful.add(lane(full));
        }
        fill(0);
        for (DueLane lane : doubtful) {
            makeDoubtful(lane);
            wait(lane);
        }
        backlog.begin(credits);
        assertThat(next()).isNull();
        for (DueLane lane : inFull) {
            credits.giveBack(lane, 0);
        }
        List<DueLane> others = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            others.add(wait(lane(new QueueCredits("well" + i))));
        }
        backlog.begin(credits);
        List<DueLane> started = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            started.add(next());
        }
        assertThat(started.subList(0, 4)).as("of the doubtful ones").containsAnyElementsOf(doubtful);
        assertThat(started.subList(0, 4)).as("of the others").containsAnyElementsOf(others);
        assertThat(started).containsAll(doubtful).containsAll(others);
    }

    @Test
    void laneThatIsReachedAgainIsNotDoubtfulAnyMore() {
        fill(3);
        DueLane lane = lane(full);
        makeDoubtful(lane);
        wait(lane);
        backlog.begin(credits);
        assertThat(next()).isNull();
        lane.noteEnd(NOW, lane.health(), true, NOW);
        backlog.begin(credits);
        assertThat(next()).isSameAs(lane);
    }
}
