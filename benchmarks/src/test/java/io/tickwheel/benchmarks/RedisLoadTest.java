package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RedisLoadTest {

    private static final long DUE_AT_MS = 1_800_000_000_123L;

    @Test
    void aPayloadTellsNumberAndDueTime() {
        byte[] payload = RedisLoad.payload(123_456, DUE_AT_MS);
        assertThat(RedisLoad.number(payload)).isEqualTo(123_456);
        assertThat(RedisLoad.dueAtMs(payload)).isEqualTo(DUE_AT_MS);
    }

    @Test
    void keysAndPayloadsHaveTheLengthThatTheTablesName() {
        assertThat(RedisLoad.key(Long.MAX_VALUE)).hasSize(27);
        assertThat(RedisLoad.payload(Long.MAX_VALUE, DUE_AT_MS)).hasSize(100);
    }

    @Test
    void aPayloadNeedsNoEscapesInJson() {
        assertThat(new String(RedisLoad.payload(7, DUE_AT_MS), US_ASCII)).matches("[0-9a-f]{100}");
    }
}
