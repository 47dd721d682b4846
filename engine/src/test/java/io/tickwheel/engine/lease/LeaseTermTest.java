package io.tickwheel.engine.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.LeaseGoneException;
import io.tickwheel.store.Answer;
import io.tickwheel.store.StoreUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A lease of 30 that is extended every 10, in nanoseconds; the clock begins near the end of its range. */
class LeaseTermTest {

    /** What is a little later has passed the largest number. */
    private static final long START = Long.sum(Long.MAX_VALUE, -15);

    private final LeaseTerm lease = new LeaseTerm(Duration.ofNanos(30), Duration.ofNanos(10), START);
    private final List<String> told = new ArrayList<>();

    private Answer<Instant> ask(long atNanos) {
        return lease.ask(START + atNanos, () -> told.add("gone"));
    }

    private boolean hasExpired(long atNanos) {
        return lease.hasExpired(START + atNanos);
    }

    @Test
    void lastsFromTheQuestionThatWasAnswered() {
        assertThat(hasExpired(29)).isFalse();
        assertThat(hasExpired(30)).isTrue();
        ask(12).accept(Instant.EPOCH);
        assertThat(hasExpired(41)).isFalse();
        assertThat(hasExpired(42)).isTrue();
    }

    @Test
    void lateAnswerIsThatOfItsOwnQuestion() {
        Answer<Instant> first = ask(10);
        ask(20);
        first.accept(Instant.EPOCH);
        assertThat(hasExpired(39)).isFalse();
        assertThat(hasExpired(40)).isTrue();
    }

    @Test
    void answerThatIsOvertakenChangesNothing() {
        Answer<Instant> first = ask(10);
        ask(20).accept(Instant.EPOCH);
        first.accept(Instant.EPOCH);
        assertThat(hasExpired(49)).isFalse();
        assertThat(hasExpired(50)).isTrue();
    }

    @Test
    void isAskedForOnceAPeriod() {
        assertThat(lease.wantsExtension(START + 9)).isFalse();
        assertThat(lease.wantsExtension(START + 10)).isTrue();
        ask(10);
        assertThat(lease.wantsExtension(START + 19)).isFalse();
        assertThat(lease.wantsExtension(START + 20)).isTrue();
    }

    @Test
    void onlyARefusalEndsIt() {
        ask(10).fail(new StoreUnavailableException("away", false));
        assertThat(told).isEmpty();
        ask(20).fail(new LeaseGoneException("over"));
        assertThat(told).containsExactly("gone");
    }
}
