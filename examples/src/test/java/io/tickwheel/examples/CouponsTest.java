package io.tickwheel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Durability;
import io.tickwheel.store.file.FileTimerStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CouponsTest {

    private static final int COUPONS = 10_000;
    private static final int MINUTES = 30;

    @Test
    void couponsAreSpreadEvenlyOverHalfAnHourAndGivenOutOnce(@TempDir Path folder) {
        // Half an hour has very many moments, and a disk has to write down what happens at each.
        try (Timeline time = new Timeline(FileTimerStore.in(folder).withDurability(Durability.NONE))) {
            checkSpread(time);
        }
    }

    private static void checkSpread(Timeline time) {
        Coupons coupons = new Coupons(time.timers(), Coupons.SPREAD, time::note);
        Instant midnight = time.clock().now().plus(Duration.ofHours(1));
        assertThat(promise(time, coupons, midnight)).as("new ones").isEqualTo(COUPONS);
        assertThat(time.after(Duration.ofHours(1).minusMillis(1))).isEmpty();
        List<String> given = new ArrayList<>(time.after(Duration.ofMillis(1)));
        for (int minute = 0; minute < MINUTES; minute++) {
            List<String> now = time.after(Duration.ofMinutes(1));
            assertThat(now)
                    .as("in minute %s", minute)
                    .hasSizeBetween(COUPONS / MINUTES * 4 / 5, COUPONS / MINUTES * 6 / 5);
            given.addAll(now);
            if (minute == MINUTES / 2) {
                assertThat(promise(time, coupons, midnight))
                        .as("new ones, when all are promised again")
                        .isZero();
            }
        }
        assertThat(given)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, COUPONS).mapToObj(CouponsTest::name).toList());
        assertThat(time.after(Duration.ofDays(1))).isEmpty();
    }

    @Test
    void couponComesAtItsOwnMoment() {
        Timeline time = new Timeline();
        Coupons coupons = new Coupons(time.timers(), Coupons.SPREAD, time::note);
        Duration offset = coupons.offset("summer");
        assertThat(offset)
                .isBetween(Duration.ZERO, Coupons.SPREAD.minusMillis(1))
                .isEqualTo(coupons.offset("summer"));
        time.answer(coupons.promise("summer", time.clock().now()));
        assertThat(time.after(offset.minusMillis(1))).isEmpty();
        assertThat(time.after(Duration.ofMillis(1))).containsExactly("summer");
    }

    private static String name(int coupon) {
        return "coupon-" + coupon;
    }

    private static long promise(Timeline time, Coupons coupons, Instant midnight) {
        long created = 0;
        for (int first = 0; first < COUPONS; first += 1_000) {
            List<CompletableFuture<Boolean>> answers = IntStream.range(first, first + 1_000)
                    .mapToObj(coupon -> coupons.promise(name(coupon), midnight))
                    .toList();
            created += answers.stream().filter(time::answer).count();
        }
        return created;
    }
}
