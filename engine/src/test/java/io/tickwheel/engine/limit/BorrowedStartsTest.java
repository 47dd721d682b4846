package io.tickwheel.engine.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.store.Answer;
import io.tickwheel.store.LimitGrant;
import io.tickwheel.store.LimitRequest;
import io.tickwheel.store.SharedLimits;
import io.tickwheel.store.StoreUnavailableException;
import java.time.Instant;
import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;

/** What a node asks for, and what it starts before, between and after the answers. */
final class BorrowedStartsTest {

    private static final long MS = 1_000_000;
    private static final long LAPSE = 5_000 * MS;

    private final ArrayDeque<LimitRequest> asked = new ArrayDeque<>();
    private Answer<LimitGrant> answer;
    private long nanos;

    private final Clock clock = new Clock() {
        @Override
        public Instant now() {
            return Instant.ofEpochMilli(nanos / MS);
        }

        @Override
        public long monoNanos() {
            return nanos;
        }
    };

    private final SharedLimits limits = (request, taker) -> {
        asked.add(request);
        answer = taker;
    };

    private final BorrowedStarts starts = new BorrowedStarts("q", limits, clock);

    private boolean admits(int running) {
        return starts.admits(running, nanos / MS, nanos);
    }

    /** A turn in which a timer would start if one may, so many run, and so many wait. */
    private LimitRequest turn(int running, int waiting) {
        starts.begin();
        if (waiting > 0) {
            assertThat(admits(running)).isFalse();
        }
        starts.work(running, waiting, nanos / MS, nanos);
        return asked.poll();
    }

    private void grantSlots(int slots) {
        answer.accept(new LimitGrant(slots, LAPSE, 0, 0, 0));
    }

    private static LimitRequest slots(int concurrency, int running, int kept, int wanted) {
        return new LimitRequest("q", concurrency, running, kept, wanted, null, RateLimit.MOST, 0, 0);
    }

    private void limit(Integer concurrency, RateLimit rate) {
        starts.set(new StartRule(concurrency, rate, null), nanos / MS, nanos);
    }

    @Test
    void asksForWhatCouldRun() {
        limit(4, null);
        assertThat(turn(0, 0)).isNull();
        assertThat(turn(0, 3)).isEqualTo(slots(4, 0, 0, 3));
        assertThat(turn(0, 3)).as("before the answer").isNull();
        grantSlots(2);
        assertThat(admits(1)).isTrue();
        assertThat(admits(2)).isFalse();
        nanos += 10 * MS;
        assertThat(turn(2, 9)).isEqualTo(slots(4, 2, 2, 4));
    }

    @Test
    void asksAMomentAfterItWasGrantedTooFew() {
        limit(4, null);
        assertThat(turn(0, 3)).isEqualTo(slots(4, 0, 0, 3));
        nanos += 3 * MS;
        grantSlots(0);
        assertThat(turn(0, 3)).as("at once").isNull();
        assertThat(starts.idleNanos(nanos)).isEqualTo(7 * MS);
        nanos += 7 * MS;
        assertThat(turn(0, 3)).isEqualTo(slots(4, 0, 0, 3));
    }

    /** They may allow what the former ones did not. */
    @Test
    void asksAtOnceWhenTheLimitsAreOthers() {
        limit(1, null);
        turn(0, 3);
        answer.accept(new LimitGrant(0, LAPSE, 0, 0, 200 * MS));
        nanos += 20 * MS;
        assertThat(turn(0, 3)).isNull();
        limit(4, null);
        assertThat(turn(0, 3)).isEqualTo(slots(4, 0, 0, 3));
    }

    @Test
    void startsNoMoreThanItKeepsUntilTheAnswer() {
        limit(4, null);
        turn(0, 4);
        grantSlots(4);
        nanos += 60 * MS;
        starts.begin();
        starts.work(4, 0, nanos / MS, nanos);
        nanos += 10 * MS;
        assertThat(turn(1, 0)).as("idle for a moment").isNull();
        nanos += 50 * MS;
        assertThat(turn(1, 0)).isEqualTo(slots(4, 1, 1, 1));
        assertThat(admits(0)).isTrue();
        assertThat(admits(1)).isFalse();
        grantSlots(3);
        assertThat(admits(2)).isTrue();
    }

    @Test
    void holdsWhatItKeptAfterAFailureAndAsksAgainAWhileLater() {
        limit(4, null);
        turn(0, 4);
        grantSlots(4);
        nanos += 60 * MS;
        assertThat(turn(2, 0)).isEqualTo(slots(4, 2, 2, 2));
        answer.fail(new StoreUnavailableException("lost", true));
        assertThat(admits(1)).isTrue();
        assertThat(turn(2, 1)).isNull();
        nanos += 99 * MS;
        assertThat(turn(2, 1)).isNull();
        nanos += MS;
        assertThat(turn(2, 1)).isEqualTo(slots(4, 2, 2, 3));
    }

    @Test
    void slotsLapseFromTheQuestionOn() {
        limit(4, null);
        turn(0, 4);
        nanos += 1_000 * MS;
        grantSlots(4);
        nanos += LAPSE - 1_000 * MS - 1;
        assertThat(admits(3)).isTrue();
        nanos += 1;
        assertThat(admits(3)).isFalse();
        assertThat(turn(1, 5)).isEqualTo(slots(4, 1, 1, 4));
    }

    @Test
    void renewsWhatItHolds() {
        limit(4, null);
        turn(0, 2);
        grantSlots(2);
        nanos += 299 * MS;
        assertThat(turn(2, 0)).isNull();
        assertThat(starts.idleNanos(nanos)).isEqualTo(MS);
        nanos += MS;
        assertThat(turn(2, 0)).isEqualTo(slots(4, 2, 2, 2));
        answer.accept(new LimitGrant(2, 200 * MS, 0, 0, 0));
        nanos += 50 * MS;
        assertThat(turn(2, 0)).isEqualTo(slots(4, 2, 2, 2));
    }

    @Test
    void givesBackAsItsAttemptsEndWhenOthersWait() {
        limit(4, null);
        turn(0, 4);
        grantSlots(4);
        nanos += 300 * MS;
        assertThat(turn(4, 9)).isEqualTo(slots(4, 4, 4, 4));
        grantSlots(2);
        nanos += 10 * MS;
        assertThat(turn(3, 9)).isEqualTo(slots(4, 3, 3, 4));
        answer.accept(new LimitGrant(2, LAPSE, 0, 0, 100 * MS));
        nanos += 9 * MS;
        assertThat(turn(2, 9)).isNull();
        nanos += MS;
        assertThat(turn(2, 9)).isEqualTo(slots(4, 2, 2, 4));
    }

    @Test
    void whatRunsWhenTheLimitIsSetIsTold() {
        limit(4, null);
        assertThat(turn(7, 0)).isEqualTo(slots(4, 7, 7, 7));
        grantSlots(0);
        assertThat(admits(3)).isFalse();
    }

    @Test
    void tokensComeOneByOne() {
        limit(null, new RateLimit(100, 2));
        assertThat(turn(0, 9)).isEqualTo(new LimitRequest("q", null, 0, 0, 0, 100.0, 2, 9, 0));
        answer.accept(new LimitGrant(0, LAPSE, 4, 1.5, 0));
        assertThat(admits(0)).isTrue();
        starts.take();
        assertThat(admits(0)).isFalse();
        nanos += 5 * MS;
        assertThat(admits(0)).isTrue();
        starts.take();
        nanos += 9 * MS;
        assertThat(admits(0)).isFalse();
        nanos += MS;
        assertThat(admits(0)).isTrue();
    }

    @Test
    void tokensThatWereNotUsedInTimeAreGivenBack() {
        limit(null, new RateLimit(100, 2));
        turn(0, 3);
        answer.accept(new LimitGrant(0, LAPSE, 3, 1, 0));
        starts.take();
        starts.giveBack();
        // The last one comes after 20 ms.
        nanos += 70 * MS - 1;
        assertThat(admits(0)).isTrue();
        nanos += 1;
        assertThat(turn(0, 5)).isEqualTo(new LimitRequest("q", null, 0, 0, 0, 100.0, 2, 5, 3));
    }

    @Test
    void tokensOfAnAnswerThatIsReadALeaseLaterAreGivenBack() {
        limit(null, new RateLimit(100, 2));
        turn(0, 3);
        nanos += LAPSE - 1;
        answer.accept(new LimitGrant(0, LAPSE, 3, 1, 0));
        assertThat(admits(0)).isTrue();
        nanos += 100 * MS;
        assertThat(turn(0, 4)).isEqualTo(new LimitRequest("q", null, 0, 0, 0, 100.0, 2, 4, 3));
        nanos += LAPSE;
        answer.accept(new LimitGrant(0, LAPSE, 4, 2, 0));
        assertThat(turn(0, 5)).isEqualTo(new LimitRequest("q", null, 0, 0, 0, 100.0, 2, 5, 4));
    }

    @Test
    void moreTokensAreAskedForBeforeTheLastOneComes() {
        limit(null, new RateLimit(100, 2));
        turn(0, 5);
        answer.accept(new LimitGrant(0, LAPSE, 5, 0, 0));
        nanos += 24 * MS;
        starts.begin();
        assertThat(admits(0)).isTrue();
        starts.take();
        starts.take();
        assertThat(turn(0, 8)).isNull();
        assertThat(starts.idleNanos(nanos)).isEqualTo(MS);
        nanos += MS;
        assertThat(turn(0, 8)).isEqualTo(new LimitRequest("q", null, 0, 0, 0, 100.0, 2, 5, 0));
    }

    @Test
    void nothingIsBorrowedOnceAllIsGivenBack() {
        limit(4, null);
        turn(0, 1);
        assertThat(starts.isSettled()).isFalse();
        grantSlots(1);
        assertThat(starts.isSettled()).isFalse();
        nanos += 60 * MS;
        starts.begin();
        starts.work(1, 0, nanos / MS, nanos);
        nanos += 60 * MS;
        assertThat(turn(0, 0)).isEqualTo(slots(4, 0, 0, 0));
        grantSlots(0);
        assertThat(starts.isSettled()).isTrue();
        assertThat(starts.idleNanos(nanos)).isEqualTo(Long.MAX_VALUE);
    }
}
