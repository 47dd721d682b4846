package io.tickwheel.server.targets;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Target;
import io.tickwheel.server.SuppressForbidden;
import io.tickwheel.server.wire.Excerpt;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Prints attempts, one line each, on a thread of its own: a console that blocks must not hold up the engine. */
@SuppressForbidden(reason = "the console has a thread of its own, which blocks with it")
final class LogTarget implements Target {

    private static final Logger LOG = LoggerFactory.getLogger(LogTarget.class);
    private static final Logger FIRED = LoggerFactory.getLogger("tickwheel.fired");
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);

    private static final long CLOSING_MS = 1_000;

    private final ExecutorService printer = Executors.newSingleThreadExecutor(LogTarget::thread);
    private final Clock clock;

    LogTarget(Clock clock) {
        this.clock = clock;
    }

    @Override
    public void deliver(Attempt attempt, Delivery delivery) {
        printer.execute(() -> {
            boolean printed = false;
            try {
                FIRED.info(line(attempt, clock));
                printed = true;
            } finally {
                // Also when an error ends this thread: another one takes its place, and nothing else ends the attempt.
                if (printed) {
                    delivery.acknowledge();
                } else {
                    delivery.fail("could not print");
                }
            }
        });
    }

    /** A console that still blocks keeps its thread, which is a daemon. */
    @Override
    public void close() {
        printer.shutdown();
        try {
            if (!printer.awaitTermination(CLOSING_MS, TimeUnit.MILLISECONDS)) {
                LOG.debug("the console still takes nothing");
            }
        } catch (InterruptedException e) {
            // Whoever closes waits no longer.
            Thread.currentThread().interrupt();
        }
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "tickwheel-log");
        thread.setDaemon(true);
        return thread;
    }

    static String line(Attempt attempt, Clock clock) {
        return TIME.format(clock.now().atZone(ZoneId.systemDefault())) + " "
                + attempt.queue() + "/"
                + Excerpt.of(attempt.key()) + " fired, "
                + attempt.lateness().toMillis() + " ms late: "
                + Excerpt.ofPayload(attempt.payload());
    }
}
