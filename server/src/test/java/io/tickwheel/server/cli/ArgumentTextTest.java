package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Arguments that the JVM could not read. */
final class ArgumentTextTest {

    private static final String ASCII = "ANSI_X3.4-1968";

    @Test
    void argumentThatTheLocaleHasNoCharactersForIsNamedByItsPlace() {
        assertThat(ArgumentText.complaint(new String[] {"timers", "show", "q", "gr\uFFFD\uFFFDn"}, ASCII))
                .isEqualTo("argument 4 cannot be read, must be of characters of ANSI_X3.4-1968, the encoding of the"
                        + " locale of this process; with LC_ALL=C.UTF-8 it has all");
        assertThat(ArgumentText.complaint(new String[] {"\uFFFD"}, ASCII)).startsWith("argument 1 cannot be read");
    }

    @Test
    void othersAreTakenAsTheyAre() {
        assertThat(ArgumentText.complaint(new String[0], ASCII)).isNull();
        assertThat(ArgumentText.complaint(new String[] {"timers", "gr??n"}, ASCII))
                .isNull();
        assertThat(ArgumentText.complaint(new String[] {"\uFFFD"}, "UTF-8")).isNull();
        assertThat(ArgumentText.complaint(new String[] {"\uFFFD"}, null)).isNull();
    }
}
