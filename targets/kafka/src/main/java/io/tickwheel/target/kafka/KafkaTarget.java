package io.tickwheel.target.kafka;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Target;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends attempts with one producer, from one thread. An attempt is acknowledged when all replicas in sync have it. It waits for nothing but the brokers' word on its topic; where
 * that is away, the others fail at once, while one asks.
 *
 * <pre>
 *   deliver -> thread -> producer: batch -> brokers -> acknowledge, on the thread of the producer
 *                |  ^
 *                v  | every 10 ms
 *              TopicLane: the topic is not known yet, or no buffer is free
 * </pre>
 */
@SuppressForbidden(reason = "calls of the producer have a thread of their own, and the engine's loop none of them")
final class KafkaTarget implements Target {

    private static final Logger LOG = LoggerFactory.getLogger(KafkaTarget.class);
    private static final long AGAIN_MS = 10;
    private static final long RENEWAL_NANOS = 1_000_000_000;
    private static final Duration CLOSING = Duration.ofMillis(500);

    /** How many topics are remembered as away; of one that is forgotten, the next attempt takes its time again. */
    static final int MOST_LANES = 1_000;

    private final Clock clock;
    private final ProducerSettings settings;
    private final ScheduledExecutorService worker;
    private final Map<String, TopicLane> lanes = new LinkedHashMap<>();
    private volatile @Nullable Producer<byte[], byte[]> producer;
    private long renewedNanos;

    /** @throws io.tickwheel.engine.InvalidTargetException when the producer refuses its settings */
    KafkaTarget(Clock clock, ProducerSettings settings) {
        this.clock = clock;
        this.settings = settings;
        this.producer = firstProducer();
        this.renewedNanos = clock.monoNanos();
        this.worker = new ScheduledThreadPoolExecutor(1, KafkaTarget::thread, new ThreadPoolExecutor.DiscardPolicy());
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "tickwheel-kafka");
        thread.setDaemon(true);
        return thread;
    }

    /** Names that nobody knows today may be known tomorrow: they do not end the start of a server. */
    private @Nullable Producer<byte[], byte[]> firstProducer() {
        try {
            return new KafkaProducer<>(settings.producer());
        } catch (KafkaException e) {
            if (BrokerSettings.isUnresolved(e)) {
                LOG.warn("no address of a Kafka broker is known to the name service");
                return null;
            }
            throw settings.refusal(e);
        }
    }

    /** The topic: one that is missing, or has no leader, holds up no other. */
    @Override
    public String route(String address) {
        return TopicAddress.parse(address).topic();
    }

    @Override
    public void deliver(Attempt attempt, Delivery delivery) {
        long now = clock.monoNanos();
        worker.execute(() -> {
            try {
                begin(attempt, delivery, now);
            } catch (RuntimeException | Error e) {
                // Nobody else would tell its end, such as of a heap that is full.
                delivery.fail("the record could not be sent: " + e);
            }
        });
    }

    private void begin(Attempt attempt, Delivery delivery, long sinceNanos) {
        ProducerRecord<byte[], byte[]> record;
        try {
            record = OutboundRecord.of(attempt, clock.wallMs());
        } catch (IllegalArgumentException e) {
            delivery.reject(String.valueOf(e.getMessage()));
            return;
        }
        String refusal = settings.internal().refusal(record.topic());
        if (refusal != null) {
            delivery.reject("topic " + record.topic() + " " + refusal);
            return;
        }
        TopicLane lane = lanes.get(record.topic());
        if (lane == null) {
            send(new Sending(record, delivery, sinceNanos, false));
            return;
        }
        boolean isProbe = lane.awaySince != null;
        if (isProbe && lane.isProbed) {
            delivery.unreachable("topic " + record.topic() + ": has been away since " + lane.awaySince
                    + ", and another attempt asks for it");
            return;
        }
        lane.isProbed = isProbe;
        Sending sending = new Sending(record, delivery, sinceNanos, isProbe);
        if (lane.waiting.isEmpty()) {
            send(sending);
        } else {
            lane.waiting.add(sending);
        }
    }

    /** Hands a record to the producer; says false when it has to wait, and has been put back where it was. */
    private boolean send(Sending sending) {
        Thread caller = Thread.currentThread();
        boolean[] waits = {false};
        Producer<byte[], byte[]> used = null;
        try {
            Producer<byte[], byte[]> taken = current();
            used = taken;
            var unused = taken.send(sending.record(), (metadata, failure) -> {
                // Told inside of the call: the topic is not known yet, or no buffer is free, and the call must not
                // block.
                if (failure instanceof TimeoutException && Thread.currentThread() == caller) {
                    waits[0] = true;
                } else {
                    ended(sending, failure, taken);
                }
            });
        } catch (RuntimeException e) {
            ended(sending, e, used);
        } catch (Error e) {
            // Such as of a heap that is full. Nothing is known of a producer that has thrown it.
            ended(sending, new KafkaException(e.toString(), e), used);
        }
        return !waits[0] || !park(sending);
    }

    /** Has an attempt wait, unless it has waited for too long. */
    private boolean park(Sending sending) {
        if (clock.monoNanos() - sending.sinceNanos() > settings.longestWait().toNanos()) {
            String reason = "no broker has told where it is, or no buffer was free, for "
                    + settings.longestWait().toMillis() + " ms";
            ended(sending, new TimeoutException(reason), null);
            return false;
        }
        String topic = sending.record().topic();
        TopicLane lane = lane(topic);
        lane.waiting.addFirst(sending);
        if (!lane.isScheduled) {
            lane.isScheduled = true;
            var unused = worker.schedule(() -> goOn(topic, lane), AGAIN_MS, TimeUnit.MILLISECONDS);
        }
        return true;
    }

    /** Sends what waits, until one has to wait again. */
    private void goOn(String topic, TopicLane lane) {
        lane.isScheduled = false;
        boolean goesOn = true;
        while (goesOn && !lane.waiting.isEmpty()) {
            Sending first = lane.waiting.removeFirst();
            goesOn = send(first);
        }
        forget(topic, lane);
    }

    /** Any thread: of the producer, as a rule. */
    private void ended(Sending sending, @Nullable Exception failure, @Nullable Producer<byte[], byte[]> used) {
        // Before the end is told: attempts that come after it find what it says of the topic.
        if (failure != null || sending.isProbe()) {
            worker.execute(() -> note(sending, failure, used));
        }
        if (failure == null) {
            sending.delivery().acknowledge();
        } else {
            String reason = Failures.reason(sending.record().topic(), failure);
            if (Failures.isForGood(failure)) {
                sending.delivery().reject(reason);
            } else if (Failures.isAway(failure)) {
                sending.delivery().unreachable(reason);
            } else {
                sending.delivery().fail(reason);
            }
        }
    }

    private void note(Sending sending, @Nullable Exception failure, @Nullable Producer<byte[], byte[]> used) {
        String topic = sending.record().topic();
        TopicLane lane = lane(topic);
        if (sending.isProbe()) {
            lane.isProbed = false;
        }
        if (failure != null && Failures.isAway(failure)) {
            if (lane.awaySince == null) {
                lane.awaySince = clock.now();
                LOG.warn("topic {} is away: {}", topic, failure.getMessage());
            }
        } else if (lane.awaySince != null) {
            LOG.info("topic {} is back; it was away since {}", topic, lane.awaySince);
            lane.awaySince = null;
        }
        forget(topic, lane);
        if (failure != null && used != null && used == producer && Failures.endsProducer(failure)) {
            LOG.warn("Kafka's producer has ended, another one will be made: {}", failure.getMessage());
            producer = null;
            used.close(Duration.ZERO);
        }
    }

    private TopicLane lane(String topic) {
        if (lanes.size() >= MOST_LANES && !lanes.containsKey(topic)) {
            Iterator<TopicLane> oldest = lanes.values().iterator();
            while (oldest.hasNext()) {
                if (oldest.next().isIdle()) {
                    oldest.remove();
                    break;
                }
            }
        }
        return lanes.computeIfAbsent(topic, name -> new TopicLane());
    }

    private void forget(String topic, TopicLane lane) {
        if (lane.isOrdinary()) {
            lanes.remove(topic);
        }
    }

    private Producer<byte[], byte[]> current() {
        Producer<byte[], byte[]> made = producer;
        if (made == null) {
            long now = clock.monoNanos();
            if (now - renewedNanos < RENEWAL_NANOS) {
                throw new TimeoutException("no producer, and the last one was made less than a second ago");
            }
            renewedNanos = now;
            made = renewed();
            producer = made;
        }
        return made;
    }

    /** Brokers whose names nobody knows are away, as those that do not answer. */
    private Producer<byte[], byte[]> renewed() {
        try {
            return new KafkaProducer<>(settings.producer());
        } catch (KafkaException e) {
            throw BrokerSettings.isUnresolved(e)
                    ? new TimeoutException("no address of a broker is known to the name service", e)
                    : e;
        }
    }

    /** Attempts that still wait are dropped, and so are those that come later. */
    @Override
    public void close() {
        worker.shutdownNow();
        try {
            if (!worker.awaitTermination(CLOSING.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.debug("a call of Kafka's producer still runs");
            }
        } catch (InterruptedException e) {
            // Whoever closes waits no longer.
            Thread.currentThread().interrupt();
        }
        Producer<byte[], byte[]> last = producer;
        if (last != null) {
            last.close(CLOSING);
        }
    }
}
