package io.tickwheel.store.redis.loading;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.redis.loading.RedisLane.Kind;
import org.junit.jupiter.api.Test;

class LoadBudgetTest {

    private static final int LIMIT = 512;

    private final LoadBudget budget = new LoadBudget(new LoadRoom(100_000, 100_000_000, 100));

    @Test
    void halfIsKeptForFreshTimersWhileThereAreSome() {
        begin(true, true);
        assertThat(allLate()).isEqualTo(LIMIT / 2);
        assertThat(budget.askFresh(LIMIT)).isEqualTo(LIMIT / 2);
        assertThat(budget.askFresh(1)).isZero();
    }

    @Test
    void halfIsKeptForABacklogWhileThereIsOne() {
        begin(true, true);
        assertThat(budget.askFresh(LIMIT)).isEqualTo(LIMIT / 2);
        assertThat(allLate()).isEqualTo(LIMIT / 2);
    }

    @Test
    void whatOnlyOneWantsItGets() {
        begin(true, false);
        assertThat(budget.askFresh(LIMIT)).isEqualTo(LIMIT);
        begin(false, true);
        budget.giveBack(Kind.FRESH, LIMIT, 0);
        assertThat(allLate()).isEqualTo(LIMIT);
    }

    @Test
    void whatIsUnderWayCountsInTheNextTurnToo() {
        begin(true, false);
        assertThat(budget.askFresh(300)).isEqualTo(300);
        begin(true, false);
        assertThat(budget.askFresh(LIMIT)).isEqualTo(LIMIT - 300);
        budget.giveBack(Kind.FRESH, 300, 100);
        assertThat(budget.askFresh(LIMIT))
                .as("what was not loaded can be asked for again")
                .isEqualTo(200);
    }

    @Test
    void whatIsUnderWayOfABacklogCountsInTheNextTurnToo() {
        begin(false, true);
        int asked = budget.askLate(0, 200);
        assertThat(asked).isEqualTo(200);
        begin(false, true);
        assertThat(allLate()).isEqualTo(LIMIT - asked);
        budget.giveBack(Kind.LATE, asked, 50);
        assertThat(allLate()).isEqualTo(asked - 50);
    }

    /** Else the first partitions would fill a small room, also with what is due long after the first of the others. */
    @Test
    void allPartitionsTogetherAskForNoMoreOfABacklogThanThereIsRoomFor() {
        LoadBudget small = new LoadBudget(new LoadRoom(1_024, 1 << 20, 0));
        for (int owned : new int[] {1, 64, 256, 1_024}) {
            small.begin(1 << 20, owned);
            int asked = small.askLate(0, Integer.MAX_VALUE);
            assertThat(asked).as("%s partitions", owned).isBetween(1, Math.max(1, 512 / owned));
            small.giveBack(Kind.LATE, asked, 0);
        }
    }

    /** However many were passed over before. */
    @Test
    void nothingOfABacklogIsAskedForWithoutRoom() {
        LoadRoom room = new LoadRoom(1_024, 1 << 20, 0);
        LoadBudget budgetOfRoom = new LoadBudget(room);
        budgetOfRoom.begin(LIMIT, 1);
        LoadRoom.Share lane = new LoadRoom.Share();
        room.take(lane, LoadRoom.Age.BACKLOG, 511);
        assertThat(budgetOfRoom.askLate(5, LIMIT))
                .as("one, beside those that are passed over")
                .isEqualTo(6);
        room.take(lane, LoadRoom.Age.BACKLOG, 1);
        assertThat(budgetOfRoom.askLate(5, LIMIT)).isZero();
    }

    private void begin(boolean fresh, boolean late) {
        budget.begin(LIMIT, 1);
        budget.want(Kind.FRESH, fresh);
        budget.want(Kind.LATE, late);
    }

    private int allLate() {
        int all = 0;
        for (int asked = budget.askLate(0, Integer.MAX_VALUE);
                asked > 0;
                asked = budget.askLate(0, Integer.MAX_VALUE)) {
            all += asked;
        }
        return all;
    }
}
