package io.tickwheel.server.http;

import io.tickwheel.server.access.Caller;
import io.tickwheel.server.audit.AuditCount;
import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.ShownTimer;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One request and its one answer. A large answer is counted in the budget of all requests until the network has taken it: a client
 * that asks for pages and reads none would fill the heap. For the event loop of its connection.
 */
final class Exchange {

    static final CharSequence ALLOW = HttpHeaders.createOptimized("Allow");

    private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");
    private static final CharSequence PROBLEM = HttpHeaders.createOptimized(Problem.MEDIA_TYPE);
    private static final CharSequence WWW_AUTHENTICATE = HttpHeaders.createOptimized("WWW-Authenticate");
    private static final CharSequence BEARER = HttpHeaders.createOptimized("Bearer realm=\"tickwheel\"");
    private static final CharSequence CLOSE = HttpHeaders.createOptimized("close");

    private final HttpServerRequest request;
    private final Failures failures;
    private final BodyBudget budget;
    private final long startedNanos;
    private long held;
    private Caller caller = Caller.ANYBODY;
    private @Nullable Outcome outcome;
    private String refusal = "";
    private @Nullable String made;
    private @Nullable AuditCount count;
    private IntConsumer meter = more -> {};

    Exchange(HttpServerRequest request, Failures failures, BodyBudget budget) {
        this.request = request;
        this.failures = failures;
        this.budget = budget;
        this.startedNanos = failures.traffic().startedNanos();
    }

    /** Has what was taken of the budget for the body of the request until it is answered. */
    void hold(long bytes) {
        held += bytes;
    }

    /** Gives back what was taken for the body, of which nothing is needed any more. */
    void release() {
        budget.giveBack(held);
        held = 0;
    }

    /** Is told once how a call has ended. */
    interface Outcome {

        /**
         * Takes note of the answer.
         *
         * @param refusal the code of the problem; empty for none
         */
        void ended(int status, String refusal);
    }

    /** Tells how the call ends, before the client hears of it, and also when that has gone. */
    void tell(Outcome told) {
        outcome = told;
    }

    /** Learns who makes the call. */
    void admit(Caller admitted) {
        caller = admitted;
    }

    /** Learns who is to be told that a call, which counts as one, has more parts. */
    void meter(IntConsumer counting) {
        meter = counting;
    }

    /** Has a call count as many times as it has parts. */
    void hasParts(int parts) {
        meter.accept(parts - 1);
    }

    /** Learns the id, or the key, of what the call makes. */
    void makes(String id) {
        made = id;
    }

    /** The id, or the key, of what the call has made; null for nothing, and for what has a name of its own. */
    @Nullable
    String made() {
        return made;
    }

    /** Learns what became of the parts of a call that has several. */
    void counts(AuditCount parts) {
        count = parts;
    }

    /** What became of its parts; null for a call that has none. */
    @Nullable
    AuditCount count() {
        return count;
    }

    Caller caller() {
        return caller;
    }

    HttpServerRequest request() {
        return request;
    }

    /** Runs {@code step}; whatever it throws becomes the answer. */
    void attempt(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            refuse(failures.problem(e));
        }
    }

    /** Goes on with what the engine answers, on the event loop. */
    <T> void await(CompletableFuture<T> answer, Consumer<T> next) {
        var unused = answer.whenComplete((value, failure) -> {
            if (failure != null) {
                refuse(failures.problem(failure));
            } else {
                attempt(() -> next.accept(value));
            }
        });
    }

    /** How many parts of an answer, of so many bytes each, may be held until its client has read it; {@link BodyBudget#fitting} says which. */
    int fitting(long... parts) {
        return budget.fitting(held, parts);
    }

    void answer(int status, JsonOut json) {
        answer(status, JSON, json.toBuffer());
    }

    void answer(int status, CharSequence contentType, Buffer body) {
        release();
        Outcome told = outcome;
        if (told != null) {
            outcome = null;
            told.ended(status, refusal);
        }
        HttpServerResponse response = request.response();
        if (response.ended() || response.closed()) {
            return;
        }
        long counted = body.length() < BodyBudget.COUNTED_FROM ? 0 : body.length();
        if (!budget.take(counted)) {
            if (request.method().equals(HttpMethod.GET)) {
                refuse(tooMuchUnread());
                return;
            }
            budget.force(counted);
        }
        budget.holdAnswer(counted);
        boolean isHead = request.method().equals(HttpMethod.HEAD);
        failures.traffic().answered(request, caller.name(), startedNanos, status, isHead ? 0 : body.length());
        response.setStatusCode(status);
        response.headers().set(HttpHeaders.CONTENT_TYPE, contentType);
        if (isHead) {
            response.headers().set(HttpHeaders.CONTENT_LENGTH, Integer.toString(body.length()));
            response.end().onComplete(sent -> budget.giveBackAnswer(counted));
        } else {
            response.end(body).onComplete(sent -> budget.giveBackAnswer(counted));
        }
    }

    /** Refuses a call as its answer would be one too many. */
    Problem tooMuchUnread() {
        return new Problem(
                        ProblemCode.OVERLOADED,
                        "answers that clients have not read may have " + budget.bytes()
                                + " bytes together, try again soon")
                .withApplied(Problem.Applied.NO);
    }

    /** Answers what the resource can be asked for. */
    void answerOptions(String allow) {
        HttpServerResponse response = request.response();
        failures.traffic().answered(request, caller.name(), startedNanos, 204, 0);
        response.setStatusCode(204);
        response.headers().set(ALLOW, allow);
        response.end();
    }

    void refuse(Problem problem) {
        refusal = problem.code().code();
        failures.traffic().refused(request, problem);
        JsonOut json = new JsonOut(384);
        problem.write(json);
        if (problem.code().isPassing() && !request.response().ended()) {
            request.response().putHeader("Retry-After", "1");
        }
        if (problem.code() == ProblemCode.UNAUTHENTICATED && !request.response().ended()) {
            request.response().putHeader(WWW_AUTHENTICATE, BEARER);
        }
        ShownTimer timer = problem.timer();
        if (timer != null) {
            IfMatch.tag(this, timer.timer().id());
        }
        answer(problem.code().status(), PROBLEM, json.toBuffer());
    }

    /** Refuses, and says that this is the last answer on the connection; whoever calls this closes it. */
    void refuseForGood(Problem problem) {
        if (!request.response().ended()) {
            request.response().headers().set(HttpHeaders.CONNECTION, CLOSE);
        }
        refuse(problem);
    }

    /** Refuses and closes the connection: where the next request begins is not known. */
    void refuseAndClose(Problem problem) {
        refuseForGood(problem);
        request.connection().close();
    }
}
