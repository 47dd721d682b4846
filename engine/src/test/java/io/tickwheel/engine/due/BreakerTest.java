package io.tickwheel.engine.due;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class BreakerTest {

    private static final long MS = 1_000_000;

    private final Breaker breaker = new Breaker();
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
}
