package io.tickwheel.target.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ChannelContinuationTimeoutException;
import com.rabbitmq.client.ShutdownSignalException;
import io.tickwheel.engine.Clock;
import io.tickwheel.target.rabbitmq.Confirms.Closing;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One channel and the thread that writes to it, message after message in the order of the attempts. What waits here is bounded by the attempts that run at once.
 *
 * <p>RabbitMQ closes a whole channel over a message to an exchange that is not there, or that the user may not write to. That message fails, and for a second every other to
 * that exchange without being sent; the others on the channel are sent again on a new one. Over a message that is larger than it takes, or has a header that it cannot read, it closes the channel
 * too, and does not say over which: they are all sent again, fewer at a time, until the one is alone.
 *
 * <p>A broker that has lost what a channel waits for, as may happen while it starts after a crash, says nothing on it and keeps the connection alive. So a connection is left when the time for
 * confirms has passed on one of its channels and no confirm has come since.
 */
final class PublishLane implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(PublishLane.class);
    private static final long REFUSED_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int PARTS = 4;

    private final Broker broker;
    private final Clock clock;
    private final LinkedBlockingDeque<Publication> waiting = new LinkedBlockingDeque<>();
    private final Map<String, Refusal> refusals = new ConcurrentHashMap<>();
    private volatile @Nullable Confirms confirms;
    private int together = Publication.ANY_NUMBER;

    private record Refusal(String reason, long untilNanos) {}

    PublishLane(Broker broker, Clock clock) {
        this.broker = broker;
        this.clock = clock;
    }

    /** Takes a message to send. Does not block. */
    void add(Publication publication) {
        waiting.addLast(publication);
    }

    /** Fails what has waited for too long, be it for the thread or for the broker. Does not block. */
    void expire() {
        long nowNanos = clock.monoNanos();
        waiting.removeIf(publication -> {
            boolean late = nowNanos - publication.deadlineNanos >= 0;
            if (late) {
                publication.unreachable("the message could not be sent in time");
            }
            return late;
        });
        Confirms open = confirms;
        if (open != null) {
            open.expire(nowNanos, "the broker has not confirmed the message in time");
        }
        refusals.values().removeIf(refusal -> nowNanos - refusal.untilNanos >= 0);
    }

    @Override
    public void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                sendOrGiveUp(waiting.takeFirst());
            }
        } catch (InterruptedException e) {
            // The target closes; the attempts that are left are made again after the next start.
            Thread.currentThread().interrupt();
        }
    }

    /** Whatever a message ends in, such as a heap that is full, the lane goes on with the next one. */
    private void sendOrGiveUp(Publication next) throws InterruptedException {
        try {
            send(next);
        } catch (RuntimeException | Error e) {
            LOG.warn("a message could not be sent: {}", e.toString());
            Confirms open = confirms;
            if (open != null) {
                // What is on the channel may be half of the message.
                broker.drop(open.channel.getConnection());
            }
            next.unreachable("the message could not be sent: " + Broker.reason(e));
        }
    }

    private void send(Publication next) throws InterruptedException {
        if (next.hasEnded()) {
            return;
        }
        Refusal refusal = refusals.get(next.exchange);
        if (refusal != null) {
            next.fail(refusal.reason);
            return;
        }
        try {
            Confirms open = confirms;
            if (open != null && open.isSilent()) {
                open.giveUp("the broker confirms nothing any more");
                broker.drop(open.channel.getConnection());
                open = null;
            }
            if (open == null || !open.channel.isOpen()) {
                open = confirms(broker.channel());
                confirms = open;
            }
            if (next.together() != together || open.underWay() >= together) {
                open.awaitQuiet();
                if (!open.channel.isOpen()) {
                    // It was not sent, so that this is no repetition.
                    waiting.addFirst(next);
                    return;
                }
            }
            together = next.together();
            open.publish(next);
        } catch (ShutdownSignalException e) {
            // Over another message, or with the connection: then the next try finds out.
            again(List.of(next));
        } catch (IOException e) {
            next.unreachable(Broker.reason(e));
        } catch (RuntimeException e) {
            next.reject("the message cannot be sent: " + Broker.reason(e));
        }
    }

    private Confirms confirms(Channel channel) throws IOException {
        try {
            return new Confirms(channel, this::closed);
        } catch (ChannelContinuationTimeoutException e) {
            broker.drop(channel.getConnection());
            throw e;
        }
    }

    private void closed(Closing closing) {
        List<Publication> others = closing.others();
        String exchange = closing.exchange();
        if (exchange != null) {
            refusals.put(exchange, new Refusal(closing.reason(), clock.monoNanos() + REFUSED_NANOS));
        } else {
            int fewer = (others.size() + PARTS - 1) / PARTS;
            others.forEach(publication -> publication.sendTogether(fewer));
        }
        again(others);
    }

    private void again(List<Publication> publications) {
        for (int i = publications.size() - 1; i >= 0; i--) {
            Publication publication = publications.get(i);
            if (publication.mayRepeat()) {
                waiting.addFirst(publication);
            } else {
                publication.unreachable("the channel was closed again and again before the broker confirmed");
            }
        }
    }
}
