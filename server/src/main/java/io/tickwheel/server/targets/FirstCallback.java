package io.tickwheel.server.targets;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.store.TimerKey;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Function;

/**
 * A callback of no timer, to this process itself, right after the start: the first one has its classes loaded, for which the first timer after a start would wait. It goes to a port of
 * the loopback interface that is open until it has ended. What comes of it is all the same.
 */
final class FirstCallback implements Delivery {

    private static final String HOST = "127.0.0.1";
    private static final int NO_CONTENT = 204;
    private static final byte[] PAYLOAD = {'{', '}'};

    private final Promise<String> outcome;

    private FirstCallback(Promise<String> outcome) {
        this.outcome = outcome;
    }

    /**
     * Makes it; only the event loop of the callbacks may call this.
     *
     * @param connectors makes one for some settings
     * @return how it ended, when its port is closed or will be in a moment
     */
    static Future<String> make(Vertx vertx, Function<HttpSettings, Connector> connectors, Clock clock) {
        return vertx.createHttpServer()
                .requestHandler(
                        request -> request.response().setStatusCode(NO_CONTENT).end())
                .listen(0, HOST)
                .compose(receiver -> {
                    HttpSettings settings =
                            HttpSettings.read(Map.of("allow", HOST, "ports", String.valueOf(receiver.actualPort())));
                    Promise<String> outcome = Promise.promise();
                    new Callback(
                                    vertx,
                                    connectors.apply(settings),
                                    new LongAnswers(),
                                    clock,
                                    attempt(receiver, clock.now()),
                                    new FirstCallback(outcome))
                            .start();
                    return outcome.future().compose(how -> receiver.close().map(how));
                });
    }

    private static Attempt attempt(HttpServer receiver, Instant now) {
        return new Attempt(
                new TimerKey("q", "k"),
                "tmr_0",
                1,
                1,
                now,
                now,
                Duration.ZERO,
                PAYLOAD,
                "application/json",
                Map.of(),
                new Destination("http", "POST http://" + HOST + ":" + receiver.actualPort() + "/"));
    }

    @Override
    public void acknowledge() {
        outcome.complete("acknowledged");
    }

    @Override
    public void fail(String reason) {
        outcome.complete(reason);
    }

    @Override
    public void fail(String reason, Duration wait) {
        outcome.complete(reason);
    }

    @Override
    public void postpone(String reason, Instant until) {
        outcome.complete(reason);
    }

    @Override
    public void reject(String reason) {
        outcome.complete(reason);
    }
}
