package io.tickwheel.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ResultsTest {

    @Test
    void medianIsTheMiddleOrTheMeanOfTheMiddleTwo() {
        assertThat(Results.median(List.of(9.0, 1.0, 2.0))).isEqualTo(2.0);
        assertThat(Results.median(List.of(9.0, 1.0, 2.0, 3.0))).isEqualTo(2.5);
    }
}
