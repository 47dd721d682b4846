package io.tickwheel.benchmarks.proof;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.benchmarks.BrokenPromiseException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The judge of plans sees each kind of broken promise, and nothing else. */
class PlanHistoryTest {

    private static final long T = 1_900_000_000_000L;

    private final List<PlanLedger.Visit> visits = new ArrayList<>();
    private final List<PlanHistory.Down> downs = new ArrayList<>();
    private PlanHistory history = new PlanHistory("q", PlanKind.CRON_ALL.key(0));

    @Test
    void runsWithoutAGapAreFine() throws Exception {
        run(1, T, 0);
        run(2, T + 1_000, 30);
        again(2, T + 1_000, 400);
        run(3, T + 2_000, 0);
        history.judge(visits, downs);
    }

    @Test
    void aNumberWithoutARunIsSeen() throws Exception {
        run(1, T, 0);
        run(3, T + 1_000, 0);
        broken("has no run 2");
    }

    @Test
    void aNumberWithTwoRunsIsSeen() throws Exception {
        run(1, T, 0);
        assertThatThrownBy(
                        () -> history.note(1, "other", Instant.ofEpochMilli(T).toString()))
                .isInstanceOf(BrokenPromiseException.class)
                .hasMessageContaining("two runs of number 1");
    }

    @Test
    void anIdOfTwoRunsIsSeen() throws Exception {
        run(1, T, 0);
        history.note(2, "id-1", Instant.ofEpochMilli(T + 1_000).toString());
        broken("one id for two runs");
    }

    @Test
    void aRunThatWasNotDeliveredIsSeen() throws Exception {
        history.note(1, "id-1", Instant.ofEpochMilli(T).toString());
        broken("never delivered");
    }

    @Test
    void aRunThatNobodyKnowsIsSeen() throws Exception {
        run(1, T, 0);
        again(2, T + 1_000, 0);
        broken("does not know");
    }

    @Test
    void anEarlyRunIsSeen() throws Exception {
        run(1, T, -1);
        broken("early");
    }

    @Test
    void twoRunsForOneTimeAreSeen() throws Exception {
        run(1, T, 0);
        run(2, T, 0);
        broken("behind");
    }

    @Test
    void aTimeBesideTheGridIsSeen() throws Exception {
        run(1, T, 0);
        run(2, T + 1_500, 0);
        broken("no nominal time");
    }

    @Test
    void aTimeLeftOutOfAPlanThatMakesAllIsSeenThoughTheServerWasDown() throws Exception {
        downs.add(new PlanHistory.Down(T, T + 2_000));
        run(1, T, 0);
        run(2, T + 3_000, 0);
        broken("has no run for");
    }

    @Test
    void aTimeThatWasNotMissedIsNotLeftOutOfAPlanThatMakesOne() throws Exception {
        history = new PlanHistory("q", PlanKind.RATE_ONCE.key(0));
        run(1, T, 1_000);
        run(2, T + 1_500, 0);
        history.judge(visits, downs);
        run(3, T + 2_500, 0);
        broken("has no run for");
    }

    @Test
    void runsBesideEachOtherAreSeenOfAPlanThatWaits() throws Exception {
        history = new PlanHistory("q", PlanKind.WAITS.key(0));
        run(1, T, 600);
        run(2, T + 700, 0);
        broken("went on");
    }

    /** Each takes 200 ms. */
    private void run(long number, long dueMs, long lateMs) throws BrokenPromiseException {
        history.note(number, "id-" + number, Instant.ofEpochMilli(dueMs).toString());
        again(number, dueMs, lateMs);
    }

    private void again(long number, long dueMs, long lateMs) {
        visits.add(new PlanLedger.Visit("id-" + number, dueMs, 1, dueMs + lateMs, dueMs + lateMs + 200));
    }

    private void broken(String how) {
        assertThatThrownBy(() -> history.judge(visits, downs))
                .isInstanceOf(BrokenPromiseException.class)
                .hasMessageContaining(how);
    }
}
