package io.tickwheel.server;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** One request and its one answer. For the event loop of its connection. */
final class Exchange {

    static final CharSequence ALLOW = HttpHeaders.createOptimized("Allow");

    private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");
    private static final CharSequence PROBLEM = HttpHeaders.createOptimized(Problem.MEDIA_TYPE);
    private static final CharSequence CLOSE = HttpHeaders.createOptimized("close");

    private final HttpServerRequest request;
    private final Failures failures;

    Exchange(HttpServerRequest request, Failures failures) {
        this.request = request;
        this.failures = failures;
    }

    HttpServerRequest request() {
        return request;
    }

    /** Runs {@code step}; whatever it throws becomes the answer. */
    void attempt(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
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

    void answer(int status, JsonOut json) {
        answer(status, JSON, json.toBuffer());
    }

    void answer(int status, CharSequence contentType, Buffer body) {
        HttpServerResponse response = request.response();
        if (response.ended() || response.closed()) {
            return;
        }
        response.setStatusCode(status);
        response.headers().set(HttpHeaders.CONTENT_TYPE, contentType);
        if (request.method().equals(HttpMethod.HEAD)) {
            response.headers().set(HttpHeaders.CONTENT_LENGTH, Integer.toString(body.length()));
            response.end();
        } else {
            response.end(body);
        }
    }

    /** Answers what the resource can be asked for. */
    void answerOptions(String allow) {
        HttpServerResponse response = request.response();
        response.setStatusCode(204);
        response.headers().set(ALLOW, allow);
        response.end();
    }

    void refuse(Problem problem) {
        JsonOut json = new JsonOut(384);
        problem.write(json);
        if (problem.code().isPassing() && !request.response().ended()) {
            request.response().putHeader("Retry-After", "1");
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
        flush();
        request.connection().close();
    }

    /** Vert.x keeps what is written while it reads until it has read all, and drops it when the connection is closed. */
    private void flush() {
        if (request.connection() instanceof ConnectionBase connection) {
            connection.channel().flush();
        }
    }
}
