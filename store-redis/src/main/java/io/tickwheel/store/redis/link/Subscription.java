package io.tickwheel.store.redis.link;

import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Listens to a channel: connects again when the connection is lost or silent, and elsewhere when the server is no longer one to
 * listen to. Of the loop.
 */
final class Subscription {

    /** How many bytes of messages may wait for the loop. */
    private static final int MOST_BYTES = 64 << 20;

    private static final long PING_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LinkContext context;
    private final boolean sentinels;
    private final UnaryOperator<@Nullable Endpoint> where;
    private final String channel;
    private final Consumer<String> receiver;
    private final Backoff backoff;

    /** Counted by threads of the network, too. */
    private final AtomicInteger waitingBytes = new AtomicInteger();

    private Dialer.@Nullable Dial<?> dial;
    private @Nullable StatefulRedisPubSubConnection<String, String> connection;
    private @Nullable Endpoint current;
    private long dueNanos;
    private boolean hears;
    private boolean answerOwed;
    private long askedNanos;

    /**
     * @param where given the server that it listens to, the one it should, or null when there is none
     * @param receiver called on the loop
     */
    Subscription(
            LinkContext context,
            boolean sentinels,
            UnaryOperator<@Nullable Endpoint> where,
            String channel,
            Consumer<String> receiver) {
        this.context = context;
        this.sentinels = sentinels;
        this.where = where;
        this.channel = channel;
        this.receiver = receiver;
        backoff = context.newBackoff();
        dueNanos = context.now();
    }

    /** Whether messages come. */
    boolean hears() {
        return hears;
    }

    void care(long now) {
        Endpoint wanted = where.apply(current);
        if (current != null && !current.equals(wanted)) {
            drop();
        }
        if (connection != null) {
            ping(connection, now);
        } else if (dial == null && wanted != null && now - dueNanos >= 0) {
            current = wanted;
            dial = context.dialer.messages(wanted, sentinels, this::connected, reason -> failed());
        }
    }

    private void connected(StatefulRedisPubSubConnection<String, String> opened) {
        dial = null;
        connection = opened;
        opened.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String from, String text) {
                if (waitingBytes.addAndGet(text.length()) > MOST_BYTES) {
                    waitingBytes.addAndGet(-text.length());
                    return;
                }
                context.inbox.put(() -> {
                    waitingBytes.addAndGet(-text.length());
                    if (connection == opened) {
                        receiver.accept(text);
                    }
                });
            }
        });
        context.dialer.watch(opened, () -> ended(opened));
        ask(opened, opened.async().subscribe(channel).toCompletableFuture());
    }

    private void ping(StatefulRedisPubSubConnection<String, String> open, long now) {
        if (answerOwed) {
            if (now - askedNanos > context.timeoutNanos) {
                ended(open);
            }
        } else if (now - askedNanos > PING_NANOS) {
            ask(open, open.async().ping().toCompletableFuture());
        }
    }

    private void ask(StatefulRedisPubSubConnection<String, String> open, CompletionStage<?> answer) {
        answerOwed = true;
        askedNanos = context.now();
        var unused = answer.whenComplete((value, error) -> context.inbox.put(() -> {
            if (connection == open && error == null) {
                answerOwed = false;
                hears = true;
                backoff.reset();
            } else {
                ended(open);
            }
        }));
    }

    private void ended(StatefulRedisPubSubConnection<String, String> which) {
        if (connection == which) {
            failed();
        }
    }

    private void failed() {
        drop();
        dueNanos = context.now() + backoff.nextNanos();
    }

    private void drop() {
        if (dial != null) {
            dial.giveUp();
        }
        if (connection != null) {
            Dialer.end(connection);
        }
        dial = null;
        connection = null;
        current = null;
        hears = false;
    }
}
