package io.tickwheel.engine.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Alarms of one loop, which rings some in a turn. */
final class AlarmsTest {

    private static final long MS = 1_000_000;

    /** More than a turn brings down from where they wait. */
    private static final int MANY = 40_000;

    private long nanos = 7;
    private int rung;

    private final Alarms alarms = new Alarms(new Clock() {
        @Override
        public Instant now() {
            return Instant.ofEpochMilli(nanos / MS);
        }

        @Override
        public long monoNanos() {
            return nanos;
        }
    });

    private final class Counted extends Alarms.Alarm {
        @Override
        public void ring() {
            rung++;
        }
    }

    @Test
    void alarmRingsAtItsTimeAndNotBefore() {
        Counted alarm = new Counted();
        alarms.set(alarm, Duration.ofNanos(3 * MS - 1));
        assertThat(alarms.idleNanos()).isEqualTo(3 * MS);
        nanos += 3 * MS - 1;
        assertThat(alarms.work()).isZero();
        assertThat(alarms.isAhead(alarm)).isTrue();
        nanos++;
        assertThat(alarms.isAhead(alarm)).isFalse();
        assertThat(alarms.work()).isOne();
        assertThat(rung).isOne();
        assertThat(alarms.idleNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void turnThatRingsNoneSaysThatSomeAreDue() {
        for (int i = 0; i < MANY; i++) {
            alarms.set(new Counted(), Duration.ofSeconds(100));
        }
        nanos += Duration.ofSeconds(100).toNanos();
        int turns = 0;
        while (alarms.work() > 0) {
            turns++;
        }
        assertThat(rung).isEqualTo(MANY);
        assertThat(turns).isGreaterThan(MANY / 4_096);
    }
}
