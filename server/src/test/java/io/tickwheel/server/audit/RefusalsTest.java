package io.tickwheel.server.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.access.Caller;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Which refusals of a minute are written, and what is said of the others. */
final class RefusalsTest {

    private static final long MINUTE_NANOS = 60_000_000_000L;

    private final Refusals refusals = new Refusals();

    private int written(int times, long nowNanos, long nowMs) {
        int written = 0;
        for (int i = 0; i < times; i++) {
            written += refusals.isWritten(Caller.ANYBODY, nowNanos, nowMs) ? 1 : 0;
        }
        return written;
    }

    @Test
    void whatWasNotWrittenIsCountedFromTheFirstRefusalOfItsMinute() {
        assertThat(refusals.isCounting(0)).isFalse();
        assertThat(written(1, 0, 1_000)).isEqualTo(1);
        assertThat(written(Refusals.MOST + 4, MINUTE_NANOS - 1, 60_999)).isEqualTo(Refusals.MOST - 1);
        assertThat(refusals.isCounting(MINUTE_NANOS - 1)).isTrue();
        assertThat(refusals.isCounting(MINUTE_NANOS)).isFalse();
        assertThat(new String(refusals.end(61_000), StandardCharsets.UTF_8))
                .startsWith("{\"time\":\"1970-01-01T00:01:01.000Z\"")
                .endsWith("\"action\":\"REFUSED\",\"since\":\"1970-01-01T00:00:01.000Z\",\"notWritten\":5}\n");
        assertThat(refusals.end(61_000)).isEmpty();
    }

    @Test
    void eachMinuteHasABeginOfItsOwn() {
        written(1, 0, 1_000);
        refusals.end(61_000);
        assertThat(written(Refusals.MOST + 1, 2 * MINUTE_NANOS, 121_000)).isEqualTo(Refusals.MOST);
        assertThat(refusals.isCounting(3 * MINUTE_NANOS - 1)).isTrue();
        assertThat(new String(refusals.end(181_000), StandardCharsets.UTF_8))
                .contains("\"since\":\"1970-01-01T00:02:01.000Z\",\"notWritten\":1}");
    }

    @Test
    void minuteWithoutManyRefusalsHasNoLineAtItsEnd() {
        assertThat(written(Refusals.MOST, 0, 0)).isEqualTo(Refusals.MOST);
        assertThat(refusals.end(60_000)).isEmpty();
    }
}
