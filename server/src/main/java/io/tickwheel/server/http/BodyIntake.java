package io.tickwheel.server.http;

import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Collects the body of one request, up to a limit, a deadline and what the budget of all requests has left. A body beyond the limit
 * is refused as soon as that is known; what still comes is read and dropped for a while, because closing at once would make the
 * sender miss the answer. The budget gets back what it gave when the request is answered: the body is read, and a batch waits.
 */
final class BodyIntake {

    private static final long DEADLINE_MS = 30_000;
    private static final long LINGER_MS = 2_000;
    private static final long LINGER_BYTES = 32L << 20;

    private final Vertx vertx;
    private final Exchange exchange;
    private final HttpServerRequest request;
    private final BodyBudget budget;
    private final long limit;
    private final Consumer<byte[]> next;
    private @Nullable BodyPieces collected;
    private long length;
    private long size;
    private long held;
    private boolean refused;
    private boolean complete;
    private long timer = -1;

    private BodyIntake(Vertx vertx, Exchange exchange, BodyBudget budget, long limit, Consumer<byte[]> next) {
        this.vertx = vertx;
        this.budget = budget;
        this.exchange = exchange;
        this.request = exchange.request();
        this.limit = limit;
        this.next = next;
    }

    /** Calls {@code next} with the whole body, or answers itself. To be called while the request's head is handled. */
    static void read(Vertx vertx, Exchange exchange, BodyBudget budget, long limit, Consumer<byte[]> next) {
        BodyIntake intake = new BodyIntake(vertx, exchange, budget, limit, next);
        HttpServerRequest request = exchange.request();
        request.handler(intake::chunk);
        request.endHandler(end -> intake.end());
        request.exceptionHandler(intake::broken);
        intake.begin();
    }

    /** Refuses a request whose body nobody wants: what still comes of it is read and dropped for a while. */
    static void drop(Vertx vertx, Exchange exchange, BodyBudget budget, Problem problem) {
        BodyIntake intake = new BodyIntake(vertx, exchange, budget, 0, bytes -> {});
        HttpServerRequest request = exchange.request();
        request.handler(intake::chunk);
        request.endHandler(end -> intake.end());
        request.exceptionHandler(intake::broken);
        intake.refuse(problem);
    }

    private void begin() {
        String declared = request.getHeader("Content-Length");
        // A length that is no number has been refused with the framing.
        length = declared == null ? -1 : declared.length() > 18 ? Long.MAX_VALUE : Long.parseLong(declared);
        if (length > limit) {
            refuse(tooLarge(String.valueOf(declared)));
        } else if (request.getHeader("Expect") != null && request.version() != HttpVersion.HTTP_1_0) {
            request.response().writeContinue();
        }
    }

    private void chunk(Buffer chunk) {
        size += chunk.length();
        if (refused) {
            if (size > LINGER_BYTES) {
                request.connection().close();
            }
        } else if (size > limit) {
            refuse(tooLarge("more than " + limit));
        } else if (!budget.take(chunk.length())) {
            refuse(new Problem(
                            ProblemCode.OVERLOADED,
                            "the requests that are not answered may have " + budget.bytes()
                                    + " bytes together, try again soon")
                    .withApplied(Problem.Applied.NO));
        } else {
            held += chunk.length();
            if (collected == null) {
                collected = new BodyPieces();
            }
            collected.add(chunk);
            // Most bodies arrive in one piece; only the others need a deadline. One that never begins idles out.
            if (timer < 0 && size != length) {
                arm();
            }
        }
    }

    private void end() {
        complete = true;
        disarm();
        if (refused) {
            request.connection().close();
            return;
        }
        byte[] bytes = collected == null ? new byte[0] : collected.toBytes();
        collected = null;
        exchange.hold(held);
        held = 0;
        exchange.attempt(() -> next.accept(bytes));
    }

    private void broken(Throwable cause) {
        disarm();
        forget();
        if (!refused && !complete && !request.response().ended()) {
            refused = true;
            exchange.refuseAndClose(new Problem(
                    ProblemCode.MALFORMED_REQUEST, "the body broke off or has bad framing, must be complete"));
        }
    }

    private void refuse(Problem problem) {
        refused = true;
        forget();
        disarm();
        exchange.refuseForGood(problem);
        timer = vertx.setTimer(LINGER_MS, id -> request.connection().close());
    }

    private void forget() {
        collected = null;
        budget.giveBack(held);
        held = 0;
    }

    private void arm() {
        timer = vertx.setTimer(
                DEADLINE_MS,
                id -> refuse(new Problem(
                        ProblemCode.REQUEST_TIMEOUT,
                        "the body did not arrive in " + DEADLINE_MS / 1_000 + " seconds")));
    }

    private void disarm() {
        if (timer >= 0) {
            vertx.cancelTimer(timer);
            timer = -1;
        }
    }

    private Problem tooLarge(String length) {
        return new Problem(
                ProblemCode.BODY_TOO_LARGE,
                "the body has " + Excerpt.of(length) + " bytes, must have at most " + limit);
    }
}
