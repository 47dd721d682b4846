package io.tickwheel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class UnpaidOrdersTest {

    private final Timeline time = new Timeline();
    private final UnpaidOrders orders = new UnpaidOrders(time.timers(), UnpaidOrders.TIME_TO_PAY, time::note);

    @Test
    void unpaidOrderIsClosedAfter30MinutesAndAPaidOneIsNot() {
        time.answer(orders.placed("paid"));
        time.answer(orders.placed("unpaid"));
        assertThat(time.after(Duration.ofMinutes(29))).isEmpty();
        assertThat(time.answer(orders.paid("paid"))).isTrue();
        assertThat(time.after(Duration.ofSeconds(59))).isEmpty();
        assertThat(time.after(Duration.ofSeconds(1))).containsExactly("unpaid");
        assertThat(time.answer(orders.paid("unpaid"))).as("paid too late").isFalse();
        assertThat(time.after(Duration.ofDays(1))).isEmpty();
    }

    @Test
    void orderWhoseCloseFailsIsClosedLater() {
        Timeline other = new Timeline();
        int[] calls = {0};
        UnpaidOrders failing = new UnpaidOrders(other.timers(), UnpaidOrders.TIME_TO_PAY, order -> {
            calls[0]++;
            if (calls[0] == 1) {
                throw new IllegalStateException("the shop is away");
            }
            other.note(order);
        });
        other.answer(failing.placed("o"));
        assertThat(other.after(Duration.ofMinutes(31))).containsExactly("o");
        assertThat(calls[0]).isEqualTo(2);
    }
}
