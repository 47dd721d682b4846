package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The progress line, byte for byte. */
final class ProgressTest {

    private static final String WIPE = "\r\u001b[K";

    /** A line, however narrow the terminal is. */
    private static String shown(String line) {
        return "\u001b[?7l" + WIPE + line + "\u001b[?7h";
    }

    private final Hand clock = new Hand();
    private final StringWriter written = new StringWriter();
    private final Progress progress = new Progress("verify", new PrintWriter(written), true, clock);

    /** A clock that is moved by hand. */
    private static final class Hand implements Clock {
        private long nanos = 77;

        void advance(Duration by) {
            nanos += by.toNanos();
        }

        @Override
        public Instant now() {
            throw new AssertionError("progress is measured without the wall clock");
        }

        @Override
        public long monoNanos() {
            return nanos;
        }
    }

    private String wrote() {
        String text = written.toString();
        written.getBuffer().setLength(0);
        return text;
    }

    @Test
    void doneAndRateAndTimeLeftAreWrittenOverAndOverAndWiped() {
        clock.advance(Duration.ofSeconds(3));
        progress.bytes(1_536L << 20, 6_144L << 20);
        assertThat(wrote()).isEqualTo(shown("verify: 1.5 GiB of 6.0 GiB, 512.0 MiB/s, 9 s left"));
        clock.advance(Duration.ofSeconds(9));
        progress.bytes(6_144L << 20, 6_144L << 20);
        assertThat(wrote()).isEqualTo(shown("verify: 6.0 GiB of 6.0 GiB, 512.0 MiB/s, 0 s left"));
        progress.close();
        assertThat(wrote()).isEqualTo(WIPE);
        progress.close();
        assertThat(wrote()).isEmpty();
    }

    @Test
    void withoutATotalNoTimeIsLeft() {
        clock.advance(Duration.ofSeconds(3));
        progress.timers(120_000, OptionalLong.empty());
        assertThat(wrote()).isEqualTo(shown("verify: 120,000 timers, 40,000/s"));
    }

    @Test
    void whileNothingIsDoneTheTimeLeftIsNotKnown() {
        clock.advance(Duration.ofSeconds(1));
        progress.partitions(0, 64);
        assertThat(wrote()).isEqualTo(shown("verify: 0 of 64 partitions, 0/s"));
        clock.advance(Duration.ofSeconds(1));
        progress.partitions(1, 64);
        assertThat(wrote()).isEqualTo(shown("verify: 1 of 64 partitions, 1/s, 2 min 6 s left"));
    }

    @Test
    void tenTimesASecondAtMost() {
        clock.advance(Duration.ofNanos(99_999_999));
        progress.timers(1, OptionalLong.empty());
        assertThat(wrote()).isEmpty();
        clock.advance(Duration.ofNanos(1));
        progress.timers(2, OptionalLong.empty());
        assertThat(wrote()).isEqualTo(shown("verify: 2 timers, 20/s"));
        clock.advance(Duration.ofNanos(99_999_999));
        progress.timers(3, OptionalLong.empty());
        assertThat(wrote()).isEmpty();
        clock.advance(Duration.ofNanos(1));
        progress.timers(4, OptionalLong.empty());
        assertThat(wrote()).isEqualTo(shown("verify: 4 timers, 20/s"));
    }

    @Test
    void moreThanTheTotalRaisesIt() {
        clock.advance(Duration.ofSeconds(1));
        progress.timers(20, OptionalLong.of(10));
        assertThat(wrote()).isEqualTo(shown("verify: 20 of 20 timers, 20/s, 0 s left"));
    }

    @Test
    void aLineBesideItStandsAloneAndTheProgressComesBack() {
        clock.advance(Duration.ofSeconds(1));
        progress.timers(1, OptionalLong.empty());
        progress.say("line 7: no");
        clock.advance(Duration.ofSeconds(1));
        progress.timers(4, OptionalLong.empty());
        progress.close();
        assertThat(wrote())
                .isEqualTo(shown("verify: 1 timers, 1/s") + WIPE + "line 7: no" + System.lineSeparator()
                        + shown("verify: 4 timers, 2/s") + WIPE);
    }

    @Test
    void whereThereIsNoTerminalOnlyLinesBesideItAreWritten() {
        Progress unseen = new Progress("verify", new PrintWriter(written), false, clock);
        clock.advance(Duration.ofSeconds(1));
        unseen.timers(1, OptionalLong.empty());
        unseen.say("line 7: no");
        unseen.close();
        assertThat(wrote()).isEqualTo("line 7: no" + System.lineSeparator());
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 B",
        "1023, 1023 B",
        "1024, 1.0 KiB",
        "1048524, 1023.9 KiB",
        "1048525, 1.0 MiB",
        "1099511627776, 1.0 TiB",
        "9223372036854775807, 8192.0 PiB"
    })
    void bytesHaveAUnitThatFits(long bytes, String text) {
        clock.advance(Duration.ofSeconds(1));
        progress.bytes(bytes, OptionalLong.empty());
        assertThat(wrote()).isEqualTo(shown("verify: " + text + ", " + text + "/s"));
    }

    @ParameterizedTest
    @CsvSource({"59, 59 s", "60, 1 min 0 s", "3599, 59 min 59 s", "3600, 1 h 0 min", "90061, 25 h 1 min"})
    void timeLeftHasTwoUnitsAtMost(long seconds, String text) {
        clock.advance(Duration.ofSeconds(1));
        progress.timers(1, OptionalLong.of(1 + seconds));
        assertThat(wrote()).endsWith("1/s, " + text + " left\u001b[?7h");
    }

    @Test
    void timeLeftIsRoundedUp() {
        clock.advance(Duration.ofSeconds(1));
        progress.timers(10, OptionalLong.of(11));
        assertThat(wrote()).endsWith(", 1 s left\u001b[?7h");
    }
}
