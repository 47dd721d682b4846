package io.tickwheel.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TimerContentTest {

    private static TimerContent copy(TimerContent content) {
        return TimerContent.decode(content.encode());
    }

    @Test
    void emptyContentComesBackEmpty() {
        TimerContent copy = copy(TimerContent.EMPTY);
        assertThat(copy.payload()).isEmpty();
        assertThat(copy).usingRecursiveComparison().isEqualTo(TimerContent.EMPTY);
    }

    @Test
    void everythingComesBackAsItWas() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("X-Zeta", "last ☃");
        headers.put("X-Alpha", "");
        TimerContent content = TimerContent.EMPTY
                .withPayload("{\"a\":1}".getBytes(StandardCharsets.UTF_8), "application/json")
                .withHeaders(headers)
                .withDestination(new Destination("http", "POST http://shop/close"))
                .withRetry(RetryPolicy.exponential(3, Duration.ofMillis(1_500)))
                .withExpireAfter(Duration.ofHours(6));
        TimerContent copy = copy(content);
        assertThat(copy).usingRecursiveComparison().isEqualTo(content);
        assertThat(copy.headers().keySet()).containsExactly("X-Zeta", "X-Alpha");
    }

    @Test
    void eachPartComesBackAlone() {
        assertThat(copy(TimerContent.EMPTY.withPayload(new byte[] {0, -1}, null))
                        .payload())
                .containsExactly(0, -1);
        assertThat(copy(TimerContent.EMPTY.withExpireAfter(Duration.ofMillis(1)))
                        .expireAfter())
                .isEqualTo(Duration.ofMillis(1));
        assertThat(copy(TimerContent.EMPTY.withRetry(RetryPolicy.DEFAULT)).retry())
                .isEqualTo(RetryPolicy.DEFAULT);
    }

    /** Older versions, which know no other policy, can read what they could. */
    @Test
    void contentHasTheOldVersionWhereThatSaysIt() {
        assertThat(TimerContent.EMPTY
                        .withRetry(RetryPolicy.exponential(2, Duration.ofHours(9)))
                        .encode())
                .startsWith(1, 4)
                .hasSize(14);
        assertThat(TimerContent.EMPTY
                        .withRetry(RetryPolicy.fixed(2, Duration.ofHours(9)))
                        .encode())
                .startsWith(2, 32);
    }

    @Test
    void everyPolicyComesBackAsItWas() {
        RetryPolicy exponential = RetryPolicy.exponential(7, Duration.ofMillis(3));
        for (RetryPolicy policy : List.of(
                exponential,
                exponential.withJitter(0.25),
                exponential.withMaxBackoff(Duration.ofDays(30)),
                RetryPolicy.fixed(1_000, Duration.ofMillis(1)),
                RetryPolicy.listed(Collections.nCopies(100, Duration.ofDays(1)).toArray(Duration[]::new)),
                RetryPolicy.listed(Duration.ofMillis(2), Duration.ofMillis(1)).withMaxAttempts(9),
                new RetryPolicy(3, List.of(Duration.ofMillis(5)), 1.5, Duration.ofSeconds(1), 1))) {
            assertThat(copy(TimerContent.EMPTY
                            .withPayload(new byte[] {1, 2}, null)
                            .withRetry(policy)))
                    .satisfies(copy -> assertThat(copy.retry()).isEqualTo(policy))
                    .satisfies(copy -> assertThat(copy.payload()).containsExactly(1, 2));
        }
    }

    @Test
    void whatIsNeededToPushBackComesBackAsItWas() {
        TimerContent content = TimerContent.EMPTY
                .withPayload(new byte[] {1, 2}, "a/b")
                .withRetry(RetryPolicy.fixed(2, Duration.ofHours(9)));
        Duration longest = Duration.ofDays(3_650_000);
        Instant first = Instant.parse("1960-01-01T00:00:00.001Z");
        for (PushBack pushBack : List.of(
                new PushBack(Duration.ZERO, Instant.EPOCH, null),
                new PushBack(Duration.ofMillis(1), first, Duration.ofMillis(1)),
                new PushBack(longest, first, longest))) {
            assertThat(copy(content.withPushBack(pushBack)))
                    .usingRecursiveComparison()
                    .isEqualTo(content.withPushBack(pushBack));
        }
        byte[] alone = TimerContent.EMPTY
                .withPushBack(new PushBack(Duration.ofMillis(5), Instant.ofEpochMilli(6), Duration.ofMillis(7)))
                .encode();
        assertThat(alone)
                .containsExactly(3, 64, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 7);
        alone[25] = 0;
        assertThat(TimerContent.decode(alone).pushBack())
                .isEqualTo(new PushBack(Duration.ofMillis(5), Instant.ofEpochMilli(6), null));
        alone[2] = -1;
        assertThatThrownBy(() -> TimerContent.decode(alone)).isInstanceOf(IllegalArgumentException.class);
    }

    /** What was written before is read, and written as it was. */
    @Test
    void contentThatIsNotToBePushedBackIsAsItWas() {
        byte[] old = {1, 8, 0, 0, 0, 0, 0, 0, 0, 9, 42};
        assertThat(TimerContent.decode(old).pushBack()).isNull();
        assertThat(TimerContent.decode(old).encode()).containsExactly(old);
    }

    @Test
    void contentOfANewerVersionIsRefused() {
        byte[] bytes = TimerContent.EMPTY.encode();
        bytes[0] = 9;
        assertThatThrownBy(() -> TimerContent.decode(bytes)).hasMessageContaining("version 9");
    }
}
