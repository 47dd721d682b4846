package io.tickwheel.engine.due;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.engine.limit.StartGate;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** When timers of a queue expire. */
final class QueueCreditsTest {

    private static final long DUE_MS = Instant.parse("2030-01-01T00:00:00Z").toEpochMilli();
    private static final Duration ALL_TIME =
            Duration.between(Instant.parse("0000-01-01T00:00:00Z"), Instant.parse("9999-12-31T23:59:59.999Z"));

    private final QueueCredits queue = new QueueCredits("q");

    private long expiresAtMs(QueueSettings settings, long dueAtMs) {
        queue.assign(settings, StartGate.OPEN);
        return queue.expiresAtMs(
                new TimerView(new TimerKey("q", "k"), "id", 1, dueAtMs, dueAtMs, TimerState.PENDING, 0),
                TimerContent.EMPTY);
    }

    @Test
    void timerExpiresSoLongAfterItsDueTime() {
        assertThat(expiresAtMs(QueueSettings.NONE, DUE_MS)).as("never").isEqualTo(Long.MAX_VALUE);
        assertThat(expiresAtMs(QueueSettings.NONE.withExpireAfter(Duration.ofSeconds(5)), DUE_MS))
                .isEqualTo(DUE_MS + 5_000);
        assertThat(expiresAtMs(QueueSettings.NONE.withExpireAfter(Duration.ofSeconds(5)), -10_000))
                .isEqualTo(-5_000);
    }

    @Test
    void timerThatMayBeLateByAllTimeNeverExpires() {
        QueueSettings longest = QueueSettings.NONE.withExpireAfter(ALL_TIME);
        assertThat(expiresAtMs(longest, DUE_MS)).isEqualTo(Long.MAX_VALUE);
    }
}
