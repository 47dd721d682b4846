package io.tickwheel.benchmarks.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RoundsTest {

    private final Rounds rounds = new Rounds(List.of(
            figure("few", "floor", "wall ns", 1, 30),
            figure("few", "a", "wall ns", 1, 130),
            figure("few", "a", "longest us", 1, 9),
            figure("many", "a", "wall ns", 1, 500),
            figure("few", "floor", "wall ns", 2, 50),
            figure("few", "a", "wall ns", 2, 150),
            figure("few", "a", "wall ns", 3, 170)));

    @Test
    void aTableHasMediansWithLowestAndHighestAndWhatIsAboveTheFloor() {
        assertThat(rounds.table("few").toString()).isEqualTo("""
                | few   | wall ns                | longest us | wall ns above the floor |
                | ----- | ---------------------- | ---------- | ----------------------- |
                | floor | 40.00 (30.00 to 50.00) | -          | 0                       |
                | a     | 150 (130 to 170)       | 9.00       | 110                     |
                """);
    }

    @Test
    void withoutAFloorNothingIsAboveIt() {
        assertThat(rounds.table("many").toString()).isEqualTo("""
                | many | wall ns |
                | ---- | ------- |
                | a    | 500     |
                """);
    }

    @Test
    void situationsAndContendersKeepTheirOrder() {
        assertThat(rounds.situations()).containsExactly("few", "many");
        assertThat(rounds.of("few", "wall ns"))
                .containsExactly(Map.entry("floor", List.of(30.0, 50.0)), Map.entry("a", List.of(130.0, 150.0, 170.0)));
        assertThat(rounds.of("few", "longest us")).containsOnlyKeys("a");
    }

    private static Figure figure(String situation, String contender, String measure, int round, double value) {
        return new Figure("wheel-pair", 17, situation, contender, measure, round, value);
    }
}
