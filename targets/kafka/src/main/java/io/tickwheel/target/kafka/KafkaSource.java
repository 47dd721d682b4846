package io.tickwheel.target.kafka;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Source;
import io.tickwheel.engine.SourceCounts;
import io.tickwheel.engine.Tickwheel;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes records in, schedules a timer of each, and commits their offsets when the timers are durable. What cannot be scheduled for the moment holds its place and is tried again; what never can
 * be goes to the topic for refused records. Everything runs on one thread, which begins a session anew a little after one has ended.
 */
final class KafkaSource implements Source {

    private static final Logger LOG = LoggerFactory.getLogger(KafkaSource.class);
    private static final String CLOSED = "is closed";
    private static final long RECONNECT_MS = 1_000;
    private static final long CLOSING_MS = 1_500;

    private final SourceSettings settings;
    private final Clock clock;
    private final Tickwheel timers;
    private final IntakeCounts counts = new IntakeCounts();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread worker;
    private volatile @Nullable String unready = "is connecting";
    private volatile @Nullable SourceSession session;

    @SuppressForbidden(reason = "the consumer blocks and belongs to one thread, so it has one of its own")
    KafkaSource(SourceSettings settings, Clock clock, Tickwheel timers) {
        this.settings = settings;
        this.clock = clock;
        this.timers = timers;
        this.worker = new Thread(this::work, "tickwheel-kafka-source");
        worker.setDaemon(true);
    }

    void start() {
        worker.start();
    }

    @Override
    public Optional<String> unready() {
        return isClosed() ? Optional.of(CLOSED) : Optional.ofNullable(unready);
    }

    @Override
    public SourceCounts counts() {
        return counts.now();
    }

    private boolean isClosed() {
        return closing.getCount() == 0;
    }

    private void work() {
        try {
            do {
                take();
            } while (!closing.await(RECONNECT_MS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            // Nobody interrupts but who ends the thread.
            Thread.currentThread().interrupt();
        }
    }

    /** Runs one session. */
    private void take() {
        try (SourceSession opened = new SourceSession(settings, clock, timers, counts, this::say)) {
            session = opened;
            if (!isClosed()) {
                opened.run();
            }
        } catch (IOException | RuntimeException | Error e) {
            // Such as a heap that is full: nobody else begins the next session.
            LOG.debug("a session has ended", e);
            ended(reason(e));
        }
    }

    /** What the client wraps is what is the matter. */
    private static String reason(Throwable failure) {
        Throwable innermost = failure;
        while (innermost instanceof KafkaException && innermost.getCause() != null) {
            innermost = innermost.getCause();
        }
        return innermost.getMessage() == null ? innermost.getClass().getSimpleName() : innermost.getMessage();
    }

    /** Says once why, however often it is tried again. */
    private void ended(String why) {
        String reason = "nothing comes from " + settings.place() + ": " + why;
        if (!reason.equals(unready) && !isClosed()) {
            LOG.warn(reason);
        }
        unready = reason;
    }

    private void say(@Nullable String reason) {
        String before = unready;
        unready = reason;
        if (reason == null && before != null) {
            LOG.info("takes records in from the topics {}", settings.topics().keySet());
        } else if (reason != null && before == null && !isClosed()) {
            LOG.warn("takes no records in: {}", reason);
        }
    }

    /** Waits for a session to give its partitions away, and for no connection that is being opened. */
    @Override
    public void close() {
        closing.countDown();
        SourceSession open = session;
        if (open != null) {
            open.stop();
        }
        try {
            worker.join(CLOSING_MS);
        } catch (InterruptedException e) {
            // Whoever closes waits no longer.
            Thread.currentThread().interrupt();
        }
    }
}
