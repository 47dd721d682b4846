package io.tickwheel.examples;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.recurrence.Recurrence;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * An instant message is sent again every few seconds until it is acknowledged, and given up after some sendings: a recurring timer, whose runs are the sendings. The run behind
 * the last of them gives up.
 */
final class ResentMessages {

    private static final String QUEUE = "resend";

    private final Tickwheel timers;
    private final Duration interval;
    private final int sendings;
    private final BiConsumer<String, String> send;
    private final Consumer<String> giveUp;

    /**
     * @param sendings how often a message is sent at most, the first time included
     * @param send takes the id of a message and its text
     * @param giveUp takes the id of a message that nobody has acknowledged
     */
    ResentMessages(
            Tickwheel timers,
            Duration interval,
            int sendings,
            BiConsumer<String, String> send,
            Consumer<String> giveUp) {
        this.timers = timers;
        this.interval = interval;
        this.sendings = sendings;
        this.send = send;
        this.giveUp = giveUp;
        timers.handle(QUEUE, this::run);
    }

    /** Sends it now; the timer goes first, so that a message that was sent is sent again whatever crashes. */
    CompletableFuture<?> send(String id, String text) {
        TimerRequest again = TimerRequest.recurring(
                        QUEUE, id, Recurrence.fixedRate(interval).withCount(sendings))
                .withPayload(text.getBytes(StandardCharsets.UTF_8));
        return timers.schedule(again).thenRun(() -> send.accept(id, text));
    }

    private void run(Attempt attempt) {
        if (attempt.run().orElse(0) < sendings) {
            send.accept(attempt.key(), attempt.text());
        } else {
            giveUp.accept(attempt.key());
        }
    }

    CompletableFuture<?> acknowledged(String id) {
        return timers.cancel(QUEUE, id);
    }
}
