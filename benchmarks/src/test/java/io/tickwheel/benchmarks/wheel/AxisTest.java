package io.tickwheel.benchmarks.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AxisTest {

    @Test
    void marksAreRoundNumbersUpToTheLargestValue() {
        assertThat(Axis.upTo(898).marks()).containsExactly(0.0, 200.0, 400.0, 600.0, 800.0, 1000.0);
        assertThat(Axis.upTo(102.5).marks()).containsExactly(0.0, 25.0, 50.0, 75.0, 100.0, 125.0);
        assertThat(Axis.upTo(12).marks()).containsExactly(0.0, 2.5, 5.0, 7.5, 10.0, 12.5);
    }

    @Test
    void aRoundLargestValueIsTheEnd() {
        assertThat(Axis.upTo(50)).isEqualTo(new Axis(50, 10));
        assertThat(Axis.upTo(1000)).isEqualTo(new Axis(1000, 200));
    }

    @Test
    void nothingButZeroStillHasAnEnd() {
        assertThat(Axis.upTo(0)).isEqualTo(new Axis(1, 1));
        assertThat(Axis.upTo(0).share(0)).isZero();
    }

    @ParameterizedTest
    @ValueSource(doubles = {1e-3, 0.31, 0.7, 1, 3, 9.999, 60, 128, 50_987, 1.0e6, 99_999_999})
    void everyValueFindsRoomOnAnAxisWithAFewMarks(double largest) {
        Axis axis = Axis.upTo(largest);
        assertThat(axis.share(largest)).isBetween(0.5, 1 + 1e-9);
        assertThat(axis.marks()).hasSizeBetween(3, 7);
        assertThat(axis.marks().get(axis.marks().size() - 1)).isEqualTo(axis.end(), within(axis.end() * 1e-9));
    }

    @Test
    void refusesWhatHasNoPlace() {
        assertThatIllegalArgumentException().isThrownBy(() -> Axis.upTo(-1)).withMessageContaining("-1");
        assertThatIllegalArgumentException().isThrownBy(() -> Axis.upTo(Double.NaN));
        assertThatIllegalArgumentException().isThrownBy(() -> Axis.upTo(Double.POSITIVE_INFINITY));
    }
}
