package io.tickwheel.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tickwheel.engine.QueueSettings.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What may be set of a queue, up to both ends. */
final class QueueSettingsRangesTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static void assertRefused(Field field, Object value, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> QueueSettings.NONE.with(field, value))
                .withMessageStartingWith(message);
    }

    @Test
    void eachNumberHasItsRange() {
        assertThat(QueueSettings.NONE
                        .withConcurrency(1)
                        .withConcurrency(100_000)
                        .concurrency())
                .isEqualTo(100_000);
        assertRefused(Field.CONCURRENCY, 0, "concurrency is 0, must be 1 to 100000");
        assertRefused(Field.CONCURRENCY, 100_001, "concurrency is 100001, must be 1 to 100000");
        assertThat(QueueSettings.NONE.withMaxPending(0).maxPending()).isZero();
        assertRefused(Field.MAX_PENDING, -1L, "maxPending is -1, must be 0 to ");
        assertThat(QueueSettings.NONE.withDeadPerQueue(0).deadPerQueue()).isZero();
        assertRefused(Field.DEAD_PER_QUEUE, -1, "deadPerQueue is -1, must be 0 to ");
    }

    @Test
    void eachDurationHasItsRange() {
        assertThat(QueueSettings.NONE.withDeadFor(Duration.ofHours(1)).deadFor())
                .isEqualTo(Duration.ofHours(1));
        assertRefused(Field.DEAD_FOR, Duration.ofHours(1).minusMillis(1), "deadFor is PT59M59.999S, must be PT1H to ");
        assertThat(QueueSettings.NONE.withExpireAfter(Duration.ofMillis(1)).expireAfter())
                .isEqualTo(Duration.ofMillis(1));
        assertRefused(Field.EXPIRE_AFTER, Duration.ZERO, "expireAfter is PT0S, must be PT0.001S to ");
    }

    /** It is kept in milliseconds: a level of less than was said would be early. */
    @Test
    void partsOfAMillisecondAreNotLost() {
        Duration parts = Duration.ofHours(2).plusNanos(1);
        assertRefused(Field.EXPIRE_AFTER, parts, "expireAfter is PT2H0.000000001S, must be PT0.001S to ");
        assertRefused(Field.DEAD_FOR, parts, "deadFor is PT2H0.000000001S, must be PT1H to ");
        assertRefused(Field.DELAY_LEVELS, List.of(parts), "delayLevels is PT2H0.000000001S, must be PT0.001S to ");
    }

    @Test
    void eachLevelIsLookedAt() {
        assertRefused(Field.DELAY_LEVELS, List.of(SECOND, Duration.ZERO), "delayLevels is PT0S, must be PT0.001S to ");
        assertRefused(Field.DELAY_LEVELS, List.of(), "delayLevels is 0, must be 1 to 100");
        assertRefused(Field.DELAY_LEVELS, Collections.nCopies(101, SECOND), "delayLevels is 101, must be 1 to 100");
    }

    @Test
    void levelsStayAsTheyWereSet() {
        List<Duration> given = new ArrayList<>(List.of(SECOND));
        QueueSettings settings = QueueSettings.NONE.withDelayLevels(given);
        given.add(SECOND);
        assertThat(settings.delayLevels()).containsExactly(SECOND);
    }
}
