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
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What was sent on a channel and is not confirmed: tells each attempt what became of its message. Thread-safe. */
final class Confirms implements ConfirmListener, ReturnListener, ShutdownListener {

    final Channel channel;
    private final ConcurrentSkipListMap<Long, Publication> sent = new ConcurrentSkipListMap<>();
    private final Consumer<Closing> closed;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition quiet = lock.newCondition();

    /** How many messages the broker has been sent: it confirms them by their number, and the client also counts those that it could not send. */
    private long count;

    /** Whether messages had to be given up, and none was answered since. */
    private volatile boolean silent;

    /**
     * The end of a channel over one of its messages, which the others have no part in.
     *
     * @param exchange the one that the broker has closed it over; null when it does not say over which message
     * @param reason what the broker says about it
     * @param others what is to be sent again on another channel, in its order
     */
    record Closing(@Nullable String exchange, String reason, List<Publication> others) {}

    /** @param closed is told when the broker closes the channel over a message */
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
        long number = ++count;
        sent.put(number, next);
        try {
            channel.basicPublish(next.exchange, next.routingKey, true, next.properties, next.body);
        } catch (IOException | RuntimeException e) {
            if (sent.remove(number) != null) {
                count--;
                throw e;
            }
        }
    }

    /** Returns how many messages wait to be confirmed. */
    int underWay() {
        return sent.size();
    }

    /** Waits until no message waits to be confirmed any more, which is by their deadlines. */
    void awaitQuiet() throws InterruptedException {
        lock.lock();
        try {
            while (!sent.isEmpty()) {
                quiet.await();
            }
        } finally {
            lock.unlock();
        }
    }

    private void tellWhenQuiet() {
        if (sent.isEmpty()) {
            lock.lock();
            try {
                quiet.signalAll();
            } finally {
                lock.unlock();
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
        tellWhenQuiet();
    }

    /** Fails all that waits. */
    void giveUp(String reason) {
        takeAll().forEach(publication -> publication.unreachable(reason));
        tellWhenQuiet();
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
        if (multiple) {
            Map<Long, Publication> all = sent.headMap(number, true);
            all.keySet().forEach(each -> end(each, outcome));
        } else {
            end(number, outcome);
        }
        tellWhenQuiet();
    }

    private void end(long number, Consumer<Publication> outcome) {
        Publication one = sent.remove(number);
        if (one != null) {
            outcome.accept(one);
        }
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
        if (cause.isHardError() || cause.isInitiatedByApplication()) {
            left.forEach(publication -> publication.unreachable("the broker was lost before it confirmed: " + text));
        } else {
            blame(left, text);
        }
        tellWhenQuiet();
    }

    /** Finds what the broker has closed the channel over: it says an exchange, or nothing that tells one message from another. */
    private void blame(List<Publication> left, String text) {
        Publication blamed = left.stream()
                .filter(publication -> text.contains("exchange '" + publication.exchange + "'"))
                .findFirst()
                .orElse(null);
        if (blamed == null && left.size() == 1) {
            left.get(0).fail(text);
            return;
        }
        if (blamed == null) {
            closed.accept(new Closing(null, text, left));
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
