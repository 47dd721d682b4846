package io.tickwheel.store.file.record;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class TimerIdsTest {

    @Test
    void numbersAreShortText() {
        assertThat(TimerIds.text(0)).isEqualTo("0");
        assertThat(TimerIds.text(31)).isEqualTo("z");
        assertThat(TimerIds.text(32)).isEqualTo("10");
        assertThat(TimerIds.text(-1)).isEqualTo("fzzzzzzzzzzzz");
    }

    @Property(tries = 500)
    void differentNumbersAreDifferentText(@ForAll long one, @ForAll long other) {
        assertThat(TimerIds.text(one).equals(TimerIds.text(other))).isEqualTo(one == other);
    }
}
