package io.tickwheel.store.redis.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ClaimLogTest {

    private static final long START = Long.MAX_VALUE - 5;

    private final List<String> lines = new ArrayList<>();
    private final ClaimLog log = new ClaimLog(lines::add);

    /** The clock turns negative meanwhile. */
    private static long after(long nanos) {
        return START + nanos;
    }

    private void say(int times, long nowNanos) {
        for (int i = 0; i < times; i++) {
            log.say("q/" + i + " ran out", nowNanos);
        }
    }

    @Test
    void eachClaimHasItsLineUpToSoMany() {
        say(ClaimLog.MOST_LINES, START);
        assertThat(lines).hasSize(ClaimLog.MOST_LINES).startsWith("q/0 ran out").endsWith("q/99 ran out");
        log.work(after(ClaimLog.WINDOW_NANOS));
        assertThat(lines).hasSize(ClaimLog.MOST_LINES);
    }

    @Test
    void whatGoesBeyondIsToldByItsNumberWhenItsTimeIsOver() {
        say(20_000, START);
        log.work(after(ClaimLog.WINDOW_NANOS - 1));
        assertThat(lines).hasSize(ClaimLog.MOST_LINES);
        log.work(after(ClaimLog.WINDOW_NANOS));
        assertThat(lines)
                .hasSize(ClaimLog.MOST_LINES + 1)
                .endsWith("claims not named here: 19900 in 10 s, the last: q/19999 ran out");
        say(1, after(ClaimLog.WINDOW_NANOS));
        assertThat(lines).hasSize(ClaimLog.MOST_LINES + 2).endsWith("q/0 ran out");
        log.flush(after(ClaimLog.WINDOW_NANOS));
        assertThat(lines).hasSize(ClaimLog.MOST_LINES + 2);
    }

    @Test
    void lineThatComesWhenTheTimeIsOverBeginsAnother() {
        say(ClaimLog.MOST_LINES + 1, START);
        say(ClaimLog.MOST_LINES, after(ClaimLog.WINDOW_NANOS));
        assertThat(lines)
                .hasSize(2 * ClaimLog.MOST_LINES + 1)
                .contains("claims not named here: 1 in 10 s, the last: q/100 ran out");
    }

    @Test
    void endOfANodeTellsTheNumber() {
        say(ClaimLog.MOST_LINES + 3, START);
        log.flush(after(1));
        assertThat(lines).endsWith("claims not named here: 3 in 1 s, the last: q/102 ran out");
    }
}
