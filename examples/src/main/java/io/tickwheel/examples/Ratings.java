package io.tickwheel.examples;

import io.tickwheel.engine.Tickwheel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.ObjIntConsumer;

/** What nobody has confirmed and rated 48 hours after it was bought is confirmed by itself, with five stars; never after its buyer has rated it. */
final class Ratings {

    static final Duration TIME_TO_RATE = Duration.ofDays(2);

    private static final String QUEUE = "rate-purchase";
    private static final int FIVE_STARS = 5;

    private final Tickwheel timers;
    private final Duration timeToRate;
    private final ObjIntConsumer<String> confirm;

    /** @param confirm takes a purchase and its stars; may be called again for a purchase, whose first stars count */
    Ratings(Tickwheel timers, Duration timeToRate, ObjIntConsumer<String> confirm) {
        this.timers = timers;
        this.timeToRate = timeToRate;
        this.confirm = confirm;
        timers.handle(QUEUE, attempt -> confirm.accept(attempt.key(), FIVE_STARS));
    }

    CompletableFuture<?> bought(String purchase) {
        return timers.schedule(QUEUE, purchase, timeToRate);
    }

    /** Gives whether the buyer was in time: not when the purchase was rated by itself. Asked again, it gives the same and confirms again. */
    CompletableFuture<Boolean> rated(String purchase, int stars) {
        return timers.cancel(QUEUE, purchase).thenApply(answer -> switch (answer.outcome()) {
            case CANCELLED -> {
                confirm.accept(purchase, stars);
                yield true;
            }
            default -> false;
        });
    }
}
