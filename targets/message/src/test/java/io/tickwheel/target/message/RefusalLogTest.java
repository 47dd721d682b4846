package io.tickwheel.target.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RefusalLogTest {

    private final List<String> lines = new ArrayList<>();
    private final SetClock clock = new SetClock();
    private final RefusalLog log = new RefusalLog(clock, lines::add);

    /** The clock turns negative soon. */
    private static final class SetClock implements Clock {

        private long nanos = Long.MAX_VALUE - 5;

        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public long monoNanos() {
            return nanos;
        }
    }

    private void say(int times) {
        for (int i = 0; i < times; i++) {
            log.say("refused " + i);
        }
    }

    @Test
    void eachHasItsLineUpToSoMany() {
        say(RefusalLog.MOST_LINES + 1);
        assertThat(lines).hasSize(RefusalLog.MOST_LINES).startsWith("refused 0").endsWith("refused 99");
        clock.nanos += RefusalLog.WINDOW_NANOS - 1;
        say(1);
        assertThat(lines).hasSize(RefusalLog.MOST_LINES);
    }

    @Test
    void numberOfTheOthersComesWithTheNextOneAfterTheirSeconds() {
        say(RefusalLog.MOST_LINES + 7);
        clock.nanos += RefusalLog.WINDOW_NANOS;
        say(1);
        assertThat(lines.subList(RefusalLog.MOST_LINES, lines.size()))
                .containsExactly("refused 7 more that are not named here", "refused 0");
        clock.nanos += RefusalLog.WINDOW_NANOS;
        say(RefusalLog.MOST_LINES);
        assertThat(lines).hasSize(2 * RefusalLog.MOST_LINES + 2);
    }

    @Test
    void secondsCountFromTheFirstOfThem() {
        say(1);
        clock.nanos += RefusalLog.WINDOW_NANOS;
        say(RefusalLog.MOST_LINES);
        clock.nanos += RefusalLog.WINDOW_NANOS - 1;
        say(5);
        assertThat(lines).hasSize(RefusalLog.MOST_LINES + 1);
    }
}
