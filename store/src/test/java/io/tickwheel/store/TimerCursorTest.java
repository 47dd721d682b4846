package io.tickwheel.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

/** Callers keep cursors, so that a version that writes others takes none of those that were given before. */
final class TimerCursorTest {

    @Test
    void cursorStaysWhatItWas() {
        assertThat(new TimerCursor(1_764_000_000_000L, 42).text()).isEqualTo("AQAAAZq2l-gAAAAAAAAAACpp1ua1");
        assertThat(TimerCursor.parse("Af__________f_________8cVz8o")).isEqualTo(new TimerCursor(-1, Long.MAX_VALUE));
    }

    @Test
    void cursorOfAnotherVersionIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TimerCursor.parse("AgAAAZq2l-gAAAAAAAAAACpp1ua1"))
                .withMessage("cursor is AgAAAZq2l-gAAAAAAAAAACpp1ua1, must be one that a page was answered with");
    }
}
