package io.tickwheel.examples;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.Cancelled;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** An order that is not paid within 30 minutes is closed. The timer has the key of the order, so that a payment finds it. */
final class UnpaidOrders {

    static final Duration TIME_TO_PAY = Duration.ofMinutes(30);

    private static final String QUEUE = "close-order";

    private final Tickwheel timers;
    private final Duration timeToPay;

    /** @param close closes an order; called again when it fails, so that it must see whether the order is closed already */
    UnpaidOrders(Tickwheel timers, Duration timeToPay, Consumer<String> close) {
        this.timers = timers;
        this.timeToPay = timeToPay;
        timers.handle(QUEUE, attempt -> close.accept(attempt.key()));
    }

    /** When this is answered, the order will be closed, whatever crashes. */
    CompletableFuture<?> placed(String order) {
        return timers.schedule(QUEUE, order, timeToPay);
    }

    /** Gives whether the payment was in time: when it was not, the order is closed, or is being closed. */
    CompletableFuture<Boolean> paid(String order) {
        return timers.cancel(QUEUE, order).thenApply(answer -> answer.outcome() == Cancelled.Outcome.CANCELLED);
    }
}
