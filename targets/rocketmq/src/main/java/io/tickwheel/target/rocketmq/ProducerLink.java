package io.tickwheel.target.rocketmq;

import io.tickwheel.engine.Clock;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.apis.ClientServiceProvider;
import org.apache.rocketmq.client.apis.producer.Producer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The producer, which is made when it is first needed, and made anew where nobody answers: the client waits longer and longer before it connects again, up to two minutes. The old one is
 * closed, by another thread, when the attempts are over that it carries. Owned by the thread of the target, but for {@link #close}.
 */
@SuppressForbidden(reason = "closing a producer blocks, so it has a thread of its own")
final class ProducerLink {

    private static final Logger LOG = LoggerFactory.getLogger(ProducerLink.class);
    private static final Duration RENEWAL = Duration.ofSeconds(5);

    /** Where the client's own log finds how it is to be; what the user has set there or has set for that log stays. */
    private static final String LOG_CONFIGURATION = "rocketmq.logback.configurationFile";

    private static final String LOG_FOLDER = "rocketmq.log.root";
    private static final String NO_LOG = "io/tickwheel/target/rocketmq/client-log.xml";

    private final Clock clock;
    private final ClientOptions options;
    private final ScheduledThreadPoolExecutor closing;
    private volatile @Nullable Producer producer;
    private volatile boolean isClosed;
    private long madeNanos;

    ProducerLink(Clock clock, ClientOptions options) {
        this.clock = clock;
        this.options = options;
        this.closing = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "tickwheel-rocketmq-close");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** RocketMQ's client, with its own log silenced unless the user has said where that goes. */
    static ClientServiceProvider client() {
        if (System.getProperty(LOG_CONFIGURATION) == null
                && System.getProperty(LOG_FOLDER) == null
                && System.getenv(LOG_FOLDER) == null) {
            System.setProperty(LOG_CONFIGURATION, NO_LOG);
        }
        return ClientServiceProvider.loadService();
    }

    /**
     * The producer. Making it asks nobody, as it is told of no topics.
     *
     * @throws ClientException when none can be made
     */
    Producer current(ClientServiceProvider client) throws ClientException {
        Producer made = producer;
        if (made == null) {
            madeNanos = clock.monoNanos();
            made = make(client);
            producer = made;
            if (isClosed) {
                close(made);
            }
        }
        return made;
    }

    private Producer make(ClientServiceProvider client) throws ClientException {
        try {
            return client.newProducerBuilder()
                    .setClientConfiguration(options.configuration())
                    .setMaxAttempts(2)
                    .build();
        } catch (RuntimeException e) {
            throw new ClientException("no producer could be made: " + e.getMessage(), e);
        }
    }

    /** Has another producer be made, unless the last one is young. */
    void renew() {
        Producer old = producer;
        Duration least = RENEWAL.compareTo(options.timeout()) < 0 ? options.timeout() : RENEWAL;
        if (old != null && clock.monoNanos() - madeNanos > least.toNanos()) {
            producer = null;
            var unused = closing.schedule(() -> close(old), options.timeout().toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private static void close(Producer producer) {
        try {
            producer.close();
        } catch (Exception e) {
            LOG.debug("a producer of RocketMQ did not close", e);
        }
    }

    /** Any thread. Waits at most for the time given; what is not closed by then goes on closing. */
    void close(Duration longest) throws InterruptedException {
        isClosed = true;
        Producer last = producer;
        if (last != null) {
            closing.execute(() -> close(last));
        }
        closing.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        closing.shutdown();
        if (!closing.awaitTermination(longest.toMillis(), TimeUnit.MILLISECONDS)) {
            LOG.debug("a producer of RocketMQ still closes");
        }
    }
}
