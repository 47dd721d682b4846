package io.tickwheel.target.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.KindOption;
import io.tickwheel.engine.Target;
import io.tickwheel.target.message.OptionReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes attempts, and acknowledges those that the broker has confirmed. Messages of one key go over one channel, in the order of their attempts. An attempt ends
 * within the time for confirms, whatever the broker does.
 */
final class RabbitmqTarget implements Target {

    private static final Logger LOG = LoggerFactory.getLogger(RabbitmqTarget.class);
    private static final String CHANNELS = "channels";
    private static final String CONFIRM_TIMEOUT = "confirmTimeoutMs";
    private static final String MAX_BYTES = "maxBytes";

    private static final int DEFAULT_CHANNELS = 2;
    private static final int DEFAULT_CONFIRM_MS = 10_000;
    private static final int DEFAULT_BYTES = 16 << 20;

    static final List<KindOption> OPTIONS = List.of(
            KindOption.of(CHANNELS, "integer", DEFAULT_CHANNELS),
            KindOption.of(CONFIRM_TIMEOUT, "ms", DEFAULT_CONFIRM_MS),
            KindOption.of(MAX_BYTES, "bytes", DEFAULT_BYTES));

    private static final long SWEEP_MS = 100;
    private static final long CLOSE_MS = 500;

    private final Clock clock;
    private final Broker broker;
    private final long confirmNanos;
    private final int maxBytes;
    private final List<PublishLane> lanes = new ArrayList<>();
    private final ScheduledThreadPoolExecutor threads;

    private RabbitmqTarget(Clock clock, Broker broker, int channels, int confirmTimeoutMs, int maxBytes) {
        this.clock = clock;
        this.broker = broker;
        this.confirmNanos = TimeUnit.MILLISECONDS.toNanos(confirmTimeoutMs);
        this.maxBytes = maxBytes;
        // One for each lane, and one that sweeps, which never waits for a broker.
        this.threads = new ScheduledThreadPoolExecutor(channels + 1, new NamedThreads("tickwheel-rabbitmq-publish"));
        for (int i = 0; i < channels; i++) {
            PublishLane lane = new PublishLane(broker, clock);
            lanes.add(lane);
            threads.execute(lane);
        }
        var unused = threads.scheduleWithFixedDelay(this::sweep, SWEEP_MS, SWEEP_MS, TimeUnit.MILLISECONDS);
    }

    private void sweep() {
        try {
            lanes.forEach(PublishLane::expire);
        } catch (RuntimeException | Error e) {
            // Thrown, it would end all sweeps, and with them the end of what the broker does not answer.
            LOG.warn("what waits for the broker is looked at again: {}", e.toString());
        }
    }

    static Target open(OptionReader options, BrokerOptions brokerOptions) {
        int channels = options.integer(CHANNELS, DEFAULT_CHANNELS, 1, 64);
        int confirmTimeoutMs = options.integer(CONFIRM_TIMEOUT, DEFAULT_CONFIRM_MS, 100, 600_000);
        int maxBytes = options.integer(MAX_BYTES, DEFAULT_BYTES, 1, 128 << 20);
        if (!brokerOptions.isPlaced()) {
            return (attempt, delivery) ->
                    delivery.fail("targets.rabbitmq.uri is not set, and targets.rabbitmq.host neither");
        }
        Clock clock = options.options().clock();
        Broker broker = new Broker(brokerOptions.factory("tickwheel-rabbitmq-target"), clock);
        return new RabbitmqTarget(clock, broker, channels, confirmTimeoutMs, maxBytes);
    }

    /** The exchange: one that is not there holds up no other. A broker that is away holds up each. */
    @Override
    public String route(String address) {
        return RabbitmqAddress.exchangeOf(address);
    }

    @Override
    public void deliver(Attempt attempt, Delivery delivery) {
        if (attempt.payload().length > maxBytes) {
            delivery.reject("the payload has " + attempt.payload().length + " bytes, must have at most " + maxBytes);
            return;
        }
        Publication publication;
        try {
            publication = publication(attempt, delivery);
        } catch (IllegalArgumentException e) {
            delivery.reject(Broker.reason(e));
            return;
        }
        String away = broker.away();
        if (away != null) {
            delivery.unreachable(away);
            return;
        }
        lanes.get(Math.floorMod(attempt.key().hashCode(), lanes.size())).add(publication);
    }

    private Publication publication(Attempt attempt, Delivery delivery) {
        RabbitmqAddress address = RabbitmqAddress.parse(
                Objects.requireNonNull(attempt.destination()).address());
        String stored = address.properties();
        BasicProperties given = stored == null ? null : StoredProperties.read(stored);
        String exchange = address.exchange();
        String routingKey = address.routingKey();
        return new Publication(
                attempt.id(),
                exchange == null ? attempt.queue() : exchange,
                routingKey == null ? attempt.queue() : routingKey,
                AmqpMessage.properties(attempt, given, clock.now()),
                attempt.payload(),
                clock.monoNanos() + confirmNanos,
                delivery);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        broker.close();
        try {
            threads.awaitTermination(CLOSE_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            // Whoever interrupts wants to go on; what is left ends by itself.
            Thread.currentThread().interrupt();
        }
    }
}
