package io.tickwheel.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Settings by themselves. */
final class SettingsTest {

    /** In no encoding is there a half of a character, so it is as a letter with dots in a locale of ASCII. */
    @Test
    void directoryThatTheLocaleCannotNameIsRefusedForThat() {
        assertThatThrownBy(() -> Settings.directory("store.file.directory", "gr\uD800n"))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("must be a directory, named in characters of "
                        + System.getProperty("sun.jnu.encoding")
                        + ", the encoding of the locale of this process; with LC_ALL=C.UTF-8 it has all");
    }

    @Test
    void directoryThatIsNoneAnywhereIsRefusedAsBefore() {
        assertThatThrownBy(() -> Settings.directory("store.file.directory", "a\0b"))
                .isInstanceOf(StartException.class)
                .hasMessageEndingWith("must be a directory");
        assertThat(Settings.directory("store.file.directory", "a b")).isEqualTo(Path.of("a b"));
    }
}
