package io.tickwheel.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.RateLimit;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;

final class CallRatesTest {

    private static final long SECOND = 1_000_000_000L;

    private final CallRates rates = new CallRates();
    private long now = Long.MAX_VALUE / 4;

    private static Caller caller(String id, RateLimit rate) {
        return new Caller(id, "c", EnumSet.of(Scope.READ), null, rate);
    }

    @Test
    void aBurstIsTakenAtOnceAndThenAsManyAsTheRateGives() {
        Caller caller = caller("a", new RateLimit(2, 3));
        for (int i = 0; i < 3; i++) {
            assertThat(rates.call(caller, now)).as("call %d", i).isZero();
        }
        assertThat(rates.call(caller, now)).isEqualTo(1);
        now += SECOND / 2 - 1;
        assertThat(rates.call(caller, now)).isEqualTo(1);
        now += 1;
        assertThat(rates.call(caller, now)).isZero();
        assertThat(rates.call(caller, now)).isEqualTo(1);
        now += 3600 * SECOND;
        for (int i = 0; i < 3; i++) {
            assertThat(rates.call(caller, now)).isZero();
        }
        assertThat(rates.call(caller, now)).isEqualTo(1);
    }

    @Test
    void partsAreMadeUpForByThoseThatFollow() {
        Caller caller = caller("a", new RateLimit(10, 5));
        assertThat(rates.call(caller, now)).isZero();
        rates.more(caller, 99, now);
        // 100 were taken: of these 5 were there, and one more must be.
        assertThat(rates.call(caller, now)).isEqualTo(10);
        now += 9 * SECOND;
        assertThat(rates.call(caller, now)).isEqualTo(1);
        now += 6 * SECOND / 10;
        assertThat(rates.call(caller, now)).isZero();
        assertThat(rates.call(caller, now)).isEqualTo(1);
    }

    @Test
    void tokensHaveBucketsOfTheirOwnAndThoseWithoutARateHaveNone() {
        Caller slow = caller("a", new RateLimit(0.001, 1));
        Caller other = caller("b", new RateLimit(0.001, 1));
        Caller free = caller("c", null);
        assertThat(rates.call(slow, now)).isZero();
        assertThat(rates.call(slow, now)).isEqualTo(1_000);
        assertThat(rates.call(other, now)).isZero();
        for (int i = 0; i < 10_000; i++) {
            assertThat(rates.call(free, now)).isZero();
            rates.more(free, 10_000, now);
        }
        assertThat(rates.buckets()).isEqualTo(2);
    }

    @Test
    void bucketsAreAsManyAsTokens() {
        for (int i = 0; i < 3 * TokenList.MOST; i++) {
            assertThat(rates.call(caller("t" + i, new RateLimit(1, 1)), now)).isZero();
        }
        assertThat(rates.buckets()).isEqualTo(TokenList.MOST);
    }

    @Test
    void aTokenThatGoesOnCallingKeepsItsBucket() {
        Caller busy = caller("busy", new RateLimit(1, 1));
        assertThat(rates.call(busy, now)).isZero();
        for (int i = 0; i < 2 * TokenList.MOST; i++) {
            rates.more(busy, 1, now);
            assertThat(rates.call(caller("t" + i, new RateLimit(1, 1)), now)).isZero();
        }
        assertThat(rates.call(busy, now)).isEqualTo(2 * TokenList.MOST + 1);
    }

    @Test
    void theLargestDebtIsNoOverflow() {
        Caller caller = caller("a", new RateLimit(RateLimit.LEAST, RateLimit.MOST_BURST));
        assertThat(rates.call(caller, now)).isZero();
        rates.more(caller, RateLimit.MOST_BURST + 10_000, now);
        assertThat(rates.call(caller, now)).isBetween(10_000_000L, 10_010_000L);
    }
}
