package io.tickwheel.examples;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.Scheduled;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.zip.CRC32;

/**
 * A great many coupons are given out from midnight on, spread over half an hour so that nothing behind them is overrun. The moment of each is made of its key: whoever
 * schedules them again, as the first time was cut off, gives each the same moment, and nobody two.
 */
final class Coupons {

    static final Duration SPREAD = Duration.ofMinutes(30);

    private static final String QUEUE = "coupon";

    private final Tickwheel timers;
    private final Duration spread;

    /** @param give gives a coupon to its owner; called again when it fails, so that it must see whether that has happened */
    Coupons(Tickwheel timers, Duration spread, Consumer<String> give) {
        this.timers = timers;
        this.spread = spread;
        timers.handle(QUEUE, attempt -> give.accept(attempt.key()));
    }

    /** Gives whether it is new; when it is not, it stays as it is, and one that was given out is not given out again. */
    CompletableFuture<Boolean> promise(String coupon, Instant midnight) {
        return timers.schedule(TimerRequest.at(QUEUE, coupon, midnight.plus(offset(coupon)))
                        .withOnConflict(OnConflict.ONCE))
                .thenApply(answer -> answer.outcome() == Scheduled.Outcome.CREATED);
    }

    /** How long after midnight a coupon is given out: any key may be anywhere in the spread, and is always at the same place. */
    Duration offset(String coupon) {
        CRC32 hash = new CRC32();
        hash.update(coupon.getBytes(StandardCharsets.UTF_8));
        return Duration.ofMillis(hash.getValue() % spread.toMillis());
    }
}
