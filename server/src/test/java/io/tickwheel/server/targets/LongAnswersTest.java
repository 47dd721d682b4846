package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class LongAnswersTest {

    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    /** Such a clock wraps around. */
    private static final long NOW = Long.MAX_VALUE - MINUTE / 2;

    private final LongAnswers answers = new LongAnswers();

    @Test
    void aDestinationIsKnownForAMinuteFromItsLastOneOn() {
        answers.note("a", NOW);
        answers.note("b", NOW);
        answers.note("a", NOW + 10);
        assertThat(answers.has("b", NOW + MINUTE - 1)).isTrue();
        assertThat(answers.has("b", NOW + MINUTE)).isFalse();
        assertThat(answers.has("b", NOW)).as("forgotten, once it is too old").isFalse();
        assertThat(answers.has("a", NOW + MINUTE + 9)).isTrue();
        assertThat(answers.has("a", NOW + MINUTE + 9)).as("asked again").isTrue();
        assertThat(answers.has("a", NOW + MINUTE + 10)).isFalse();
        assertThat(answers.has("c", NOW)).isFalse();
    }

    @Test
    void thoseThatWereNotedLastAreKept() {
        for (int i = 0; i < LongAnswers.MOST; i++) {
            answers.note("d" + i, NOW);
        }
        answers.note("d0", NOW);
        answers.note("one more", NOW);
        assertThat(answers.has("d1", NOW)).isFalse();
        assertThat(answers.has("d0", NOW)).isTrue();
        assertThat(answers.has("d2", NOW)).isTrue();
        assertThat(answers.has("one more", NOW)).isTrue();
    }
}
