package io.tickwheel.server.targets;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Target;
import io.tickwheel.server.wire.Excerpt;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Prints attempts, one line each, on a thread of its own: a console that blocks must not hold up the engine. */
public final class LogTarget implements Target {

    private static final Logger FIRED = LoggerFactory.getLogger("tickwheel.fired");
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);

    private final WorkerExecutor worker;
    private final Clock clock;

    public LogTarget(Vertx vertx, Clock clock) {
        this.worker = vertx.createSharedWorkerExecutor("tickwheel-log", 1);
        this.clock = clock;
    }

    @Override
    public void deliver(Attempt attempt, Delivery delivery) {
        worker.executeBlocking(() -> {
                    FIRED.info(line(attempt, clock));
                    return attempt;
                })
                .onComplete(printed -> delivery.acknowledge(), failure -> delivery.fail("could not print"));
    }

    static String line(Attempt attempt, Clock clock) {
        return TIME.format(clock.now().atZone(ZoneId.systemDefault())) + " "
                + attempt.key().queue() + "/"
                + Excerpt.of(attempt.key().key()) + " fired, "
                + attempt.lateness().toMillis() + " ms late: "
                + Excerpt.ofPayload(attempt.payload());
    }
}
