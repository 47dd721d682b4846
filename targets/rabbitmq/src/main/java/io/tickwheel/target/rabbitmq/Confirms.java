package io.tickwheel.target.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmListener;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.ReturnListener;
import com.rabbitmq.client.ShutdownListener;
import com.rabbitmq.client.ShutdownSignalException;
import io.tickwheel.target.message.TimerMessage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What was sent on a channel and is not confirmed: tells each attempt what became of its message. Thread-safe. */
final class Confirms implements ConfirmListener, ReturnListener, ShutdownListener {

    final Channel channel;
    private final ConcurrentSkipListMap<Long, Publication> sent = new ConcurrentSkipListMap<>();
    private final Consumer<Closing> closed;

    /** Whether messages had to be given up, and none was answered since. */
    private volatile boolean silent;

    /**
     * The end of a channel over the exchange of one of its messages, which the others have no part in.
     *
     * @param exchange which one
     * @param reason what the broker says about it
     * @param others what is to be sent again on another channel, in its order
     */
    record Closing(String exchange, String reason, List<Publication> others) {}

    /** @param closed is told when the broker closes the channel over an exchange */
    Confirms(Channel channel, Consumer<Closing> closed) throws IOException {
        this.channel = channel;
        this.closed = closed;
        channel.confirmSelect();
        channel.addConfirmListener(this);
        channel.addReturnListener(this);
        channel.addShutdownListener(this);
    }

    /**
     * Sends a message. One thread at a time.
     *
     * @throws IOException when it cannot be sent, as is the case with any other exception; nothing is thrown of a message that was among those of a channel that was
     *     closed meanwhile, of which whoever is told of that takes care
     */
    void publish(Publication next) throws IOException {
        long number = channel.getNextPublishSeqNo();
        sent.put(number, next);
        try {
            channel.basicPublish(next.exchange, next.routingKey, true, next.properties, next.body);
        } catch (IOException | RuntimeException e) {
            if (sent.remove(number) != null) {
                throw e;
            }
        }
    }

    /** Fails what has waited for too long. */
    void expire(long nowNanos, String reason) {
        sent.forEach((number, publication) -> {
            if (nowNanos - publication.deadlineNanos >= 0) {
                silent = true;
                sent.remove(number);
                publication.unreachable(reason);
            }
        });
    }

    /** Fails all that waits. */
    void giveUp(String reason) {
        takeAll().forEach(publication -> publication.unreachable(reason));
    }

    private List<Publication> takeAll() {
        List<Publication> left = new ArrayList<>();
        for (var next = sent.pollFirstEntry(); next != null; next = sent.pollFirstEntry()) {
            left.add(next.getValue());
        }
        return left;
    }

    /** Whether the broker answers nothing on this channel any more. */
    boolean isSilent() {
        return silent;
    }

    @Override
    public void handleAck(long number, boolean multiple) {
        end(number, multiple, Publication::confirmed);
    }

    @Override
    public void handleNack(long number, boolean multiple) {
        end(number, multiple, publication -> publication.fail("the broker has refused the message (basic.nack)"));
    }

    private void end(long number, boolean multiple, Consumer<Publication> outcome) {
        silent = false;
        if (!multiple) {
            Publication one = sent.remove(number);
            if (one != null) {
                outcome.accept(one);
            }
            return;
        }
        Map<Long, Publication> all = sent.headMap(number, true);
        all.keySet().forEach(each -> end(each, false, outcome));
    }

    /** Comes before the confirm of the same message. */
    @Override
    public void handleReturn(
            int code, String text, String exchange, String routingKey, BasicProperties properties, byte[] body) {
        Map<String, Object> headers = properties.getHeaders();
        String id = headers == null ? "" : String.valueOf(headers.get(TimerMessage.ID));
        for (Publication publication : sent.values()) {
            if (publication.id.equals(id)) {
                publication.returned("no queue takes it: exchange '" + exchange + "' with routing key '" + routingKey
                        + "' answers " + code + " " + text);
            }
        }
    }

    @Override
    public void shutdownCompleted(ShutdownSignalException cause) {
        String text = text(cause);
        List<Publication> left = takeAll();
        Publication blamed = cause.isHardError()
                ? null
                : left.stream()
                        .filter(publication -> text.contains("exchange '" + publication.exchange + "'"))
                        .findFirst()
                        .orElse(null);
        if (blamed == null) {
            left.forEach(publication -> publication.unreachable("the broker was lost before it confirmed: " + text));
            return;
        }
        List<Publication> others = new ArrayList<>();
        for (Publication publication : left) {
            if (publication.exchange.equals(blamed.exchange)) {
                publication.fail(text);
            } else {
                others.add(publication);
            }
        }
        closed.accept(new Closing(blamed.exchange, text, others));
    }

    /** What the broker says, such as {@code NOT_FOUND - no exchange 'x' in vhost '/'}. */
    private static String text(ShutdownSignalException cause) {
        @Nullable Method reason = cause.getReason();
        if (reason instanceof AMQP.Channel.Close close) {
            return close.getReplyText();
        }
        if (reason instanceof AMQP.Connection.Close close) {
            return close.getReplyText();
        }
        return Broker.reason(cause);
    }
}
