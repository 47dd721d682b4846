package io.tickwheel.examples;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.NeverAgainException;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.engine.TryAgainAtException;
import io.tickwheel.store.Changed;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A webhook is sent until its receiver takes it. One that says when to come again is heeded, and that counts as no failure; after any other failure the delays grow, and after
 * some failures the webhook is dead: it is kept until somebody sends it again.
 */
final class Webhooks {

    static final RetryPolicy RETRY = RetryPolicy.exponential(6, Duration.ofSeconds(10));

    /** How long a receiver may put a webhook off. */
    static final Duration PATIENCE = Duration.ofDays(1);

    private static final String QUEUE = "webhook";
    private static final String RECEIVER = "receiver";
    private static final Duration LONGEST_CALL = Duration.ofSeconds(10);
    private static final int FIRST_SUCCESS = 200;
    private static final int FIRST_REDIRECTION = 300;
    private static final int GONE = 410;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int UNAVAILABLE = 503;

    private final Tickwheel timers;
    private final HttpClient client;
    private final Clock clock;
    private final RetryPolicy retry;

    Webhooks(Tickwheel timers, HttpClient client, Clock clock, RetryPolicy retry) {
        this.timers = timers;
        this.client = client;
        this.clock = clock;
        this.retry = retry;
        timers.handle(QUEUE, this::deliver);
    }

    /** When this is answered, it is sent, whatever crashes; asked again with the same id, it is sent once all the same. */
    CompletableFuture<?> send(String id, URI receiver, String body) {
        return timers.schedule(TimerRequest.after(QUEUE, id, Duration.ZERO)
                .withText(body)
                .withHeaders(Map.of(RECEIVER, receiver.toString()))
                .withRetry(retry)
                .withOnConflict(OnConflict.ONCE));
    }

    /** The webhooks that were given up, with the reasons of their last attempts: the first page of them. */
    CompletableFuture<List<TimerView>> dead() {
        return timers.list(TimerQuery.of(QUEUE).withState(TimerState.DEAD)).thenApply(TimerPage::timers);
    }

    /** Sends a dead one again, as if for the first time; gives whether it was dead. */
    CompletableFuture<Boolean> redrive(String id) {
        return timers.redrive(QUEUE, id).thenApply(answer -> answer.outcome() == Changed.Outcome.CHANGED);
    }

    private void deliver(Attempt attempt) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create(attempt.headers().get(RECEIVER)))
                .timeout(LONGEST_CALL)
                // The same at each attempt, so that a receiver knows a webhook that it has taken already.
                .header("webhook-id", attempt.id())
                .POST(HttpRequest.BodyPublishers.ofByteArray(attempt.payload()))
                .build();
        HttpResponse<Void> response = client.send(request, HttpResponse.BodyHandlers.discarding());
        int status = response.statusCode();
        if (status >= FIRST_SUCCESS && status < FIRST_REDIRECTION) {
            return;
        }
        if (status == GONE) {
            throw new NeverAgainException("the receiver is gone");
        }
        if (status == TOO_MANY_REQUESTS || status == UNAVAILABLE) {
            putOff(attempt, response);
        }
        throw new IOException("the receiver answered " + status);
    }

    /** Returns when the receiver has not said until when. */
    private void putOff(Attempt attempt, HttpResponse<?> response) {
        Optional<Instant> until = response.headers().firstValue("Retry-After").flatMap(this::time);
        if (until.isPresent()) {
            if (until.get().isAfter(attempt.dueAt().plus(PATIENCE))) {
                throw new NeverAgainException("the receiver has put it off until " + until.get());
            }
            throw new TryAgainAtException("the receiver has put it off", until.get());
        }
    }

    /** Seconds from now on, or a date; empty when it is neither. */
    private Optional<Instant> time(String retryAfter) {
        try {
            return Optional.of(
                    retryAfter.chars().allMatch(Character::isDigit)
                            ? clock.now().plusSeconds(Long.parseLong(retryAfter))
                            : ZonedDateTime.parse(retryAfter, DateTimeFormatter.RFC_1123_DATE_TIME)
                                    .toInstant());
        } catch (NumberFormatException | DateTimeException | ArithmeticException e) {
            return Optional.empty();
        }
    }
}
