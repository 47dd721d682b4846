package io.tickwheel.target.rocketmq;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Target;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.apis.ClientServiceProvider;
import org.apache.rocketmq.client.apis.message.Message;
import org.apache.rocketmq.client.apis.producer.Producer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends attempts with one producer, from one thread, which owns all that is known of them. An attempt is acknowledged when the broker has confirmed its message; it fails when nobody has
 * in time, and then the others for its topic fail at once, while one asks. Of a message group one message is on its way at a time, as RocketMQ keeps the order only of these.
 *
 * <pre>
 *   deliver -> thread -> producer -> proxy -> broker
 *                ^                               |
 *                +---- receipt or failure -------+
 * </pre>
 */
@SuppressForbidden(reason = "calls of the client have a thread of their own, and the engine's loop none of them")
final class RocketmqTarget implements Target {

    private static final Logger LOG = LoggerFactory.getLogger(RocketmqTarget.class);
    private static final Duration CLOSING = Duration.ofMillis(500);
    private static final long SWEEP_MS = 100;

    /** How many topics are remembered as away; of one that is forgotten, the next attempt takes its time again. */
    private static final int MOST_LANES = 1_000;

    private final Clock clock;
    private final ClientOptions options;
    private final ClientServiceProvider client = ProducerLink.client();
    private final ScheduledThreadPoolExecutor worker;
    private final ProducerLink link;
    private final Map<String, TopicLane> away = new LinkedHashMap<>();

    /** By topic and group, those that wait for the one of the group that is on its way. */
    private final Map<String, Deque<Sending>> groups = new HashMap<>();

    /** In the order in which they came. */
    private final Deque<Sending> open = new ArrayDeque<>();

    RocketmqTarget(Clock clock, ClientOptions options) {
        this.clock = clock;
        this.options = options;
        this.link = new ProducerLink(clock, options);
        this.worker =
                new ScheduledThreadPoolExecutor(1, RocketmqTarget::thread, new ThreadPoolExecutor.DiscardPolicy());
        var unused = worker.scheduleWithFixedDelay(this::sweep, SWEEP_MS, SWEEP_MS, TimeUnit.MILLISECONDS);
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "tickwheel-rocketmq");
        thread.setDaemon(true);
        return thread;
    }

    /** The topic: one that is missing, or whose brokers are away, holds up no other. */
    @Override
    public String route(String address) {
        return TopicAddress.topicOf(address);
    }

    @Override
    public void deliver(Attempt attempt, Delivery delivery) {
        long now = clock.monoNanos();
        worker.execute(() -> {
            try {
                begin(attempt, delivery, now);
            } catch (RuntimeException | Error e) {
                // Nobody else would tell its end, such as of a heap that is full.
                delivery.fail("the message could not be sent: " + e);
            }
        });
    }

    private void begin(Attempt attempt, Delivery delivery, long sinceNanos) {
        Message message;
        try {
            message = OutgoingMessage.of(attempt, client, options.maxBytes());
        } catch (IllegalArgumentException e) {
            delivery.reject(String.valueOf(e.getMessage()));
            return;
        }
        TopicLane lane = away.get(message.getTopic());
        if (lane != null && lane.isProbed) {
            delivery.unreachable(awayReason(message.getTopic(), lane));
            return;
        }
        if (lane != null) {
            lane.isProbed = true;
        }
        Sending sending = new Sending(message, delivery, sinceNanos, lane != null);
        open.add(sending);
        String group = group(sending);
        if (group != null) {
            Deque<Sending> waiting = groups.get(group);
            if (waiting != null) {
                waiting.add(sending);
                return;
            }
            groups.put(group, new ArrayDeque<>());
        }
        send(sending);
    }

    private static String awayReason(String topic, TopicLane lane) {
        return "topic " + topic + ": has been away since " + lane.awaySince + ", and another attempt asks for it";
    }

    /** By what a message waits for others: no topic has a slash. */
    private static @Nullable String group(Sending sending) {
        return sending.message
                .getMessageGroup()
                .map(group -> sending.topic() + "/" + group)
                .orElse(null);
    }

    private void send(Sending sending) {
        try {
            Producer producer = link.current(client);
            var unused = producer.sendAsync(sending.message)
                    .whenComplete((receipt, failure) -> worker.execute(() -> answered(sending, failure)));
        } catch (ClientException | RuntimeException | Error e) {
            // Not at once: those that wait for it would each be sent by the one before.
            worker.execute(() -> answered(sending, e));
        }
    }

    /** The client has come to an end with a message, maybe too late; its group goes on in any case. */
    private void answered(Sending sending, @Nullable Throwable failure) {
        end(sending, failure == null ? null : Failures.cause(failure));
        goOn(sending);
    }

    private void goOn(Sending sending) {
        String group = group(sending);
        Deque<Sending> waiting = group == null ? null : groups.get(group);
        if (group == null || waiting == null) {
            return;
        }
        Sending next = waiting.poll();
        while (next != null && next.hasEnded) {
            next = waiting.poll();
        }
        if (next == null) {
            groups.remove(group);
        } else {
            send(next);
        }
    }

    private void sweep() {
        try {
            expire();
        } catch (RuntimeException | Error e) {
            // Thrown, it would end all sweeps, and with them the end of what nobody confirms.
            LOG.warn("what waits for the broker is looked at again: {}", e.toString());
        }
    }

    /** Fails what nobody has confirmed in time. The client ends each call itself, a little later at most. */
    private void expire() {
        long now = clock.monoNanos();
        for (Sending first = open.peek(); first != null; first = open.peek()) {
            if (!first.hasEnded && now - first.sinceNanos < options.timeout().toNanos()) {
                return;
            }
            open.remove();
            end(
                    first,
                    new TimeoutException(
                            "nobody has confirmed it in " + options.timeout().toMillis() + " ms"));
        }
    }

    private void end(Sending sending, @Nullable Throwable failure) {
        if (sending.hasEnded) {
            return;
        }
        sending.hasEnded = true;
        while (!open.isEmpty() && open.element().hasEnded) {
            open.remove();
        }
        // Before the end is told: attempts that come after it find what it says of the topic.
        note(sending, failure);
        if (failure == null) {
            sending.delivery.acknowledge();
        } else if (Failures.isForGood(failure)) {
            sending.delivery.reject(Failures.reason(sending.topic(), failure));
        } else if (Failures.isAway(failure)) {
            sending.delivery.unreachable(Failures.reason(sending.topic(), failure));
        } else {
            sending.delivery.fail(Failures.reason(sending.topic(), failure));
        }
    }

    private void note(Sending sending, @Nullable Throwable failure) {
        String topic = sending.topic();
        TopicLane lane = away.get(topic);
        if (failure == null || !Failures.isAway(failure)) {
            if (lane != null) {
                LOG.info("topic {} is back; it was away since {}", topic, lane.awaySince);
                away.remove(topic);
            }
            return;
        }
        if (lane == null) {
            LOG.warn("topic {} is away: {}", topic, failure.getMessage());
            forgetOne();
            away.put(topic, new TopicLane(clock.now()));
        } else if (sending.isProbe) {
            lane.isProbed = false;
        }
        if (Failures.isSilence(failure)) {
            link.renew();
        }
    }

    private void forgetOne() {
        if (away.size() >= MOST_LANES) {
            Iterator<TopicLane> oldest = away.values().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /** Attempts that still wait are dropped, and so are those that come later. */
    @Override
    public void close() {
        worker.shutdownNow();
        try {
            try {
                if (!worker.awaitTermination(CLOSING.toMillis(), TimeUnit.MILLISECONDS)) {
                    LOG.debug("a call of RocketMQ's client still runs");
                }
            } finally {
                link.close(CLOSING);
            }
        } catch (InterruptedException e) {
            // Whoever closes waits no longer; the link closes by itself.
            Thread.currentThread().interrupt();
        }
    }
}
