package io.tickwheel.server.targets;

import io.netty.channel.ConnectTimeoutException;
import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.server.wire.CallbackHeaders;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.TimeText;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt over HTTP. The status decides; of the body that is read which {@link AnswerBody} wants. The outcome is told when that ends, so that a slow body holds its attempt's
 * credit.
 */
final class Callback {

    private static final Logger LOG = LoggerFactory.getLogger(Callback.class);
    private static final int NO_STATUS = 0;

    /** Of an answer that asks for the timer at another time; that attempt does not count. */
    private static final String AGAIN_AT = "Tickwheel-Again-At";

    /** How soon to try again where no socket could be opened; that attempt does not count either. */
    private static final Duration WITHOUT_SOCKET = Duration.ofSeconds(1);

    private final Vertx vertx;
    private final Connector connector;
    private final LongAnswers longAnswers;
    private final Clock clock;
    private final Attempt attempt;
    private final Delivery delivery;
    private @Nullable HttpClientRequest request;
    private @Nullable PayloadWriter payload;
    private @Nullable String retryAfter;
    private @Nullable String againAt;
    private @Nullable AnswerBody body;
    private int status = NO_STATUS;
    private String place = "";
    private String origin = "";
    private long timer;
    private boolean ended;

    /** Whether it could not be made at all, as this one message is. */
    private boolean ours;

    /** Whether nobody was called, as this process could open no socket. */
    private boolean without;

    Callback(
            Vertx vertx,
            Connector connector,
            LongAnswers longAnswers,
            Clock clock,
            Attempt attempt,
            Delivery delivery) {
        this.vertx = vertx;
        this.connector = connector;
        this.longAnswers = longAnswers;
        this.clock = clock;
        this.attempt = attempt;
        this.delivery = delivery;
    }

    void start() {
        Destination destination;
        try {
            destination = connector.destination(
                    Objects.requireNonNull(attempt.destination()).address());
        } catch (IllegalArgumentException e) {
            delivery.reject("the stored URL " + e.getMessage());
            return;
        }
        try {
            CallbackHeaders.check(attempt.headers());
        } catch (IllegalArgumentException e) {
            delivery.reject("the stored header " + e.getMessage());
            return;
        }
        place = destination.place();
        origin = destination.origin();
        Timeouts timeouts = connector.timeouts();
        timer = vertx.setTimer(timeouts.connectMs(), id -> late(timeouts.connectMs()));
        attempt(() -> connector
                .request(destination, attempt.number(), () -> CallbackMessage.headers(attempt, clock.now()))
                .onComplete(connected -> attempt(() -> send(connected)), this::fail));
    }

    /** What may take how long, begins with the attempt: so the timer is set again only for one that takes so long. */
    private void late(int passedMs) {
        Timeouts timeouts = connector.timeouts();
        if (request == null) {
            abandon(noConnection());
        } else if (status == NO_STATUS && passedMs >= timeouts.headMs()) {
            abandon("no answer from " + place + " in " + Timeouts.text(timeouts.headMs()));
        } else if (passedMs >= timeouts.totalMs()) {
            abandon("");
        } else {
            int next = status == NO_STATUS ? timeouts.headMs() : timeouts.totalMs();
            timer = vertx.setTimer(next - passedMs, id -> late(next));
        }
    }

    private String noDestination() {
        return place + " is not known, or no destination that is allowed";
    }

    private String noConnection() {
        return "no connection to " + place + " in "
                + Timeouts.text(connector.timeouts().connectMs());
    }

    /**
     * Vert.x throws some refusals instead of telling them; an attempt whose outcome is never told keeps its credit. What throws
     * once throws at every attempt, so the log gets one line of it.
     */
    private void attempt(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            LOG.warn(
                    "the callback of {} to {} could not be made: {}",
                    attempt.id(),
                    place,
                    Excerpt.sentence(e.toString()));
            LOG.debug("the callback of {} could not be made", attempt.id(), e);
            ours = true;
            abandon("the callback to " + place + " could not be made");
        }
    }

    private void send(HttpClientRequest connected) {
        // Without one, Vert.x logs each request that breaks or is reset as an error of ours.
        connected.exceptionHandler(this::fail);
        if (ended) {
            connected.reset();
            return;
        }
        request = connected;
        PayloadWriter writer = new PayloadWriter(connected, attempt.payload());
        payload = writer;
        writer.begin().onComplete(answer -> attempt(() -> head(answer)), this::fail);
    }

    private void head(HttpClientResponse response) {
        status = response.statusCode();
        delivery.answered(status);
        if (!isTaken(status)) {
            retryAfter = response.getHeader("Retry-After");
            againAt = response.getHeader(AGAIN_AT);
        }
        response.exceptionHandler(this::fail);
        AnswerBody read = new AnswerBody(response, attempt.keepsExcerpt(), longAnswers.has(origin, clock.monoNanos()));
        body = read;
        response.handler(chunk -> {
            read.add(chunk);
            if (read.isCut()) {
                cut(read);
            }
        });
        response.endHandler(end -> end(""));
        if (read.isCut()) {
            cut(read);
        }
    }

    private void cut(AnswerBody read) {
        if (read.isLong() && !ended) {
            longAnswers.note(origin, clock.monoNanos());
        }
        abandon("");
    }

    private void fail(Throwable cause) {
        without = OpenFiles.areTooMany(cause);
        end(without ? "no connection to " + place + ", too many files are open here" : reason(cause));
    }

    private void abandon(String reason) {
        HttpClientRequest open = request;
        end(reason);
        if (open != null) {
            open.reset();
        }
    }

    /** Tells the outcome once: by the status where there is one, else with the reason. */
    private void end(String reason) {
        if (ended) {
            return;
        }
        ended = true;
        vertx.cancelTimer(timer);
        stopWriting();
        String excerpt = body == null ? null : body.excerpt();
        if (excerpt != null) {
            delivery.answered(status, excerpt);
        }
        if (status == NO_STATUS && without) {
            delivery.postpone(reason, clock.now().plus(WITHOUT_SOCKET));
        } else if (status == NO_STATUS && !ours) {
            delivery.unreachable(reason);
        } else if (status == NO_STATUS) {
            delivery.fail(reason);
        } else if (isTaken(status)) {
            delivery.acknowledge();
        } else if (status == 410) {
            delivery.reject("HTTP 410");
        } else if (againAt != null) {
            postpone(againAt);
        } else if (status >= 300 && status < 400) {
            delivery.unreachable("HTTP " + status + ", and redirects are not followed");
        } else {
            fail("HTTP " + status);
        }
    }

    private static boolean isTaken(int status) {
        return status >= 200 && status < 300;
    }

    private void postpone(String asked) {
        String reason = "HTTP " + status + ", asked for another time";
        try {
            delivery.postpone(reason, TimeText.parse(asked.strip()));
        } catch (IllegalArgumentException e) {
            fail("HTTP " + status + ", " + AGAIN_AT + " is " + Excerpt.quoted(asked) + ", " + e.getMessage());
        }
    }

    /** With as long a wait as the receiver has asked for. */
    private void fail(String reason) {
        Duration wait = status == 429 || status == 503 ? RetryAfter.wait(retryAfter, clock.now()) : Duration.ZERO;
        if (wait.isZero()) {
            delivery.fail(reason);
        } else {
            Duration capped = wait.compareTo(RetryPolicy.MAX_BACKOFF) > 0 ? RetryPolicy.MAX_BACKOFF : wait;
            delivery.fail(reason + ", asked to wait " + wait.toSeconds() + " s", capped);
        }
    }

    /**
     * A receiver may answer before it has all, and keeps the connection open. Whatever came next on it would be the rest of the
     * payload, and Vert.x would give it to another request even after a reset: so it is closed.
     */
    private void stopWriting() {
        if (payload != null && request != null && !payload.isDone()) {
            payload.stop();
            request.connection().close();
        }
    }

    /**
     * Coarse on purpose: callers may see it, and it must not tell them what the network looks like. They know the host; whether its name is known here, and leads where they may not
     * go, or is not known, they do not.
     */
    private String reason(Throwable cause) {
        if (cause instanceof RefusedDestinationException) {
            LOG.debug("the callback of {} to {} is refused: it {}", attempt.id(), place, cause.getMessage());
            return noDestination();
        }
        if (cause instanceof UnknownHostException) {
            LOG.debug("the callback of {} to {} has no address: its name is not known", attempt.id(), place);
            return noDestination();
        }
        if (cause instanceof RejectedExecutionException) {
            return "no look-up of " + place + ", too many others are under way";
        }
        if (cause instanceof ConnectTimeoutException) {
            return noConnection();
        }
        if (cause instanceof ConnectException || (request == null && cause instanceof SocketException)) {
            return "no connection to " + place;
        }
        return cause instanceof SSLException
                ? "TLS with " + place + " failed"
                : "the connection to " + place + " broke";
    }
}
