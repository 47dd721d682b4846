package io.tickwheel.benchmarks.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the programs rely on, for every wheel that they drive. */
class DrivenWheelTest {

    static List<WheelContender> contenders() {
        return WheelContender.ALL.stream().filter(WheelContender::isDriven).toList();
    }

    @ParameterizedTest
    @MethodSource("contenders")
    void expiresWhatIsDueAndNothingElse(WheelContender contender) {
        DrivenWheel wheel = contender.wheel(4);
        wheel.schedule(0, 5);
        wheel.schedule(1, 5);
        wheel.schedule(2, 300);
        wheel.schedule(3, 70_000);
        advance(wheel, 4, 10);
        assertThat(wheel.expired()).isZero();
        advance(wheel, 5, 10);
        assertThat(wheel.expired()).isEqualTo(2);
        advance(wheel, 69_999, 10);
        assertThat(wheel.expired()).isEqualTo(3);
        advance(wheel, 70_000, 10);
        assertThat(wheel.expired()).isEqualTo(4);
    }

    @ParameterizedTest
    @MethodSource("contenders")
    void aLimitLeavesMoreToDo(WheelContender contender) {
        DrivenWheel wheel = contender.wheel(100);
        for (int slot = 0; slot < 100; slot++) {
            wheel.schedule(slot, 7);
        }
        advance(wheel, 6, 10);
        for (int calls = 0; calls < 100 && wheel.expired() == 0; calls++) {
            assertThat(wheel.advance(7, 10)).isTrue();
        }
        assertThat(wheel.expired()).isEqualTo(10);
        advance(wheel, 7, 10);
        assertThat(wheel.expired()).isEqualTo(100);
    }

    @ParameterizedTest
    @MethodSource("contenders")
    void aSlotIsCancelledAndUsedAgain(WheelContender contender) {
        DrivenWheel wheel = contender.wheel(2);
        wheel.schedule(0, 10);
        wheel.schedule(1, 10);
        wheel.cancel(0);
        wheel.schedule(0, 20);
        advance(wheel, 10, 10);
        assertThat(wheel.expired()).isEqualTo(1);
        wheel.cancel(1);
        advance(wheel, 20, 10);
        assertThat(wheel.expired()).isEqualTo(2);
    }

    private static void advance(DrivenWheel wheel, long tick, int limit) {
        boolean more = true;
        while (more) {
            more = wheel.advance(tick, limit);
        }
    }
}
