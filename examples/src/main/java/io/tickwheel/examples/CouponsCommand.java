package io.tickwheel.examples;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.file.FileTimerStore;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Promises some coupons, soon after which it is midnight, and says each second how many were given out. */
final class CouponsCommand {

    private static final int MOST = 50_000_000;
    private static final int BATCH = 10_000;
    private static final int SAID = 1_000_000;
    private static final int PROMISED_IN_A_SECOND = 50_000;

    private final Stage stage;
    private final AtomicIntegerArray given;
    private final AtomicInteger owners = new AtomicInteger();
    private final AtomicInteger again = new AtomicInteger();

    private CouponsCommand(Stage stage, int number) {
        this.stage = stage;
        given = new AtomicIntegerArray(number);
    }

    static void run(Stage stage, List<String> arguments) throws IOException, InterruptedException {
        Arguments.atMost(arguments, 2);
        int number = Arguments.number(arguments, 0, "the number of coupons", 10_000, MOST);
        int seconds = Arguments.number(arguments, 1, "the seconds to spread them over", 10, 86_400);
        new CouponsCommand(stage, number).run(number, Duration.ofSeconds(seconds));
    }

    private void run(int number, Duration spread) throws IOException, InterruptedException {
        try (Tickwheel timers = Tickwheel.open(FileTimerStore.in(Files.createTempDirectory("tickwheel-example-")))) {
            Coupons coupons = new Coupons(timers, spread, this::give);
            Instant midnight = Clock.system().now().plusSeconds(3 + number / PROMISED_IN_A_SECOND);
            stage.say(number + " coupons are to be given out in the " + spread.toSeconds() + " s from " + midnight
                    + " on");
            promise(coupons, number, midnight);
            stage.say("all of them are promised");
            int before = 0;
            while (!stage.awaitEnd(Duration.ofSeconds(1))) {
                int now = owners.get();
                if (now > before) {
                    stage.say((now - before) + " coupons in a second, " + now + " in all");
                }
                before = now;
            }
            stage.say(owners + " coupons have their owners; " + again + " were given out again");
        }
    }

    private void promise(Coupons coupons, int number, Instant midnight) throws InterruptedException {
        List<CompletableFuture<Boolean>> batch = new ArrayList<>();
        for (int coupon = 0; coupon < number; coupon++) {
            batch.add(coupons.promise(Integer.toString(coupon), midnight));
            if (batch.size() == BATCH || coupon == number - 1) {
                Tickwheel.await(CompletableFuture.allOf(batch.toArray(CompletableFuture[]::new)));
                batch.clear();
                if ((coupon + 1) % SAID == 0) {
                    stage.say((coupon + 1) + " are promised");
                }
            }
        }
    }

    private void give(String coupon) {
        if (given.getAndIncrement(Integer.parseInt(coupon)) > 0) {
            again.incrementAndGet();
        } else if (owners.incrementAndGet() == given.length()) {
            stage.end();
        }
    }
}
