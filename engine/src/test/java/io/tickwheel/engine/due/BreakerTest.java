package io.tickwheel.engine.due;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class BreakerTest {

    private static final long MS = 1_000_000;

    private final Breaker breaker = new Breaker(false);
    private long nowNanos = Long.MAX_VALUE - 500 * MS; // It passes the end of the range.

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            breaker.noteEnd(false, nowNanos);
        }
    }

    private long ms() {
        return breaker.nanosToStart(nowNanos) / MS;
    }

    @Test
    void itOpensWhenTwentyInARowHaveReachedNobody() {
        fail(19);
        breaker.noteEnd(true, nowNanos);
        fail(19);
        assertThat(breaker.isOpen()).isFalse();
        assertThat(ms()).isZero();
        fail(1);
        assertThat(breaker.isOpen()).isTrue();
        assertThat(ms()).isEqualTo(100);
    }

    @Test
    void oneMayStartNowAndThenLaterAndLater() {
        fail(20);
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            pauses.add(ms());
            nowNanos += ms() * MS - 1;
            assertThat(breaker.nanosToStart(nowNanos)).isEqualTo(1);
            nowNanos++;
            assertThat(ms()).isZero();
            breaker.noteStart(nowNanos);
            fail(1);
        }
        assertThat(pauses).containsExactly(100L, 200L, 400L, 800L, 1_000L, 1_000L);
    }

    @Test
    void whatEndsMeanwhileDoesNotPutTheNextOneOff() {
        fail(20);
        nowNanos += 60 * MS;
        fail(200);
        assertThat(ms()).isEqualTo(40);
    }

    @Test
    void oneThatWasNotMadeLetsTheNextStartAtOnce() {
        fail(20);
        nowNanos += 100 * MS;
        breaker.noteStart(nowNanos);
        assertThat(ms()).isEqualTo(200);
        breaker.noteNotStarted(nowNanos);
        assertThat(ms()).isZero();
        breaker.noteStart(nowNanos);
        assertThat(ms()).isEqualTo(400);
    }

    @Test
    void oneThatReachesSomebodyClosesItAtOnce() {
        fail(20);
        nowNanos += 100 * MS;
        breaker.noteStart(nowNanos);
        breaker.noteEnd(true, nowNanos);
        assertThat(breaker.isOpen()).isFalse();
        assertThat(ms()).isZero();
        fail(19);
        assertThat(breaker.isOpen()).isFalse();
        fail(1);
        assertThat(ms()).as("it begins anew").isEqualTo(100);
    }

    private void start(int times) {
        for (int i = 0; i < times; i++) {
            assertThat(ms()).isZero();
            breaker.noteStart(nowNanos);
        }
    }

    @Test
    void twentyAndTwentyMoreEachSecondStartWhileNothingIsKnown() {
        start(19);
        nowNanos += 300 * MS;
        start(1);
        assertThat(ms()).as("a second from the first").isEqualTo(700);
        nowNanos += 700 * MS;
        start(20);
        assertThat(ms()).isEqualTo(1_000);
        nowNanos += 5_000 * MS;
        start(20);
        assertThat(ms()).isEqualTo(1_000);
        assertThat(breaker.isOpen()).isFalse();
    }

    @Test
    void anyMayStartOnceOneHasReachedSomebody() {
        start(20);
        breaker.noteEnd(false, nowNanos);
        assertThat(ms()).isEqualTo(1_000);
        breaker.noteEnd(true, nowNanos);
        start(1_000);
        breaker.noteEnd(false, nowNanos);
        assertThat(ms()).isZero();
    }

    @Test
    void itOpensWhenThoseThatHaveStartedHaveReachedNobody() {
        start(20);
        fail(20);
        assertThat(breaker.isOpen()).isTrue();
        assertThat(ms()).isEqualTo(100);
    }

    @Test
    void nothingIsKnownWhenNoneHasReachedSomebodyForAMinute() {
        breaker.noteEnd(true, nowNanos);
        nowNanos += 30_000 * MS;
        breaker.noteEnd(true, nowNanos);
        nowNanos += 60_000 * MS - 1;
        start(100);
        nowNanos++;
        start(20);
        assertThat(ms()).isEqualTo(1_000);
    }

    @Test
    void thoseThatWereNotMadeDoNotCountWhileNothingIsKnown() {
        breaker.noteNotStarted(nowNanos);
        start(20);
        breaker.noteNotStarted(nowNanos);
        breaker.noteNotStarted(nowNanos);
        start(2);
        assertThat(ms()).isEqualTo(1_000);
    }

    @Test
    void codeOfThisProgramIsAlwaysKnown() {
        Breaker ofHandler = new Breaker(true);
        for (int i = 0; i < 1_000; i++) {
            assertThat(ofHandler.nanosToStart(nowNanos)).isZero();
            ofHandler.noteStart(nowNanos);
        }
    }
}
