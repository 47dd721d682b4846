package io.tickwheel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class RatingsTest {

    private final Timeline time = new Timeline();
    private final Ratings ratings =
            new Ratings(time.timers(), Ratings.TIME_TO_RATE, (purchase, stars) -> time.note(purchase + " " + stars));

    @Test
    void purchaseIsRatedByItselfAfter48Hours() {
        time.answer(ratings.bought("book"));
        assertThat(time.after(Duration.ofDays(2).minusMillis(1))).isEmpty();
        assertThat(time.after(Duration.ofMillis(1))).containsExactly("book 5");
        assertThat(time.answer(ratings.rated("book", 1))).isFalse();
        assertThat(time.after(Duration.ofDays(3))).isEmpty();
    }

    @Test
    void purchaseThatItsBuyerHasRatedIsNotRatedByItself() {
        time.answer(ratings.bought("book"));
        assertThat(time.after(Duration.ofDays(2).minusMillis(1))).isEmpty();
        assertThat(time.answer(ratings.rated("book", 3))).isTrue();
        assertThat(time.after(Duration.ofDays(3))).containsExactly("book 3");
    }
}
