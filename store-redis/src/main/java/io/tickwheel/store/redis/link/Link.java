package io.tickwheel.store.redis.link;

import io.tickwheel.store.Durability;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The way to the servers. The loop sends; replies are gathered and given back to the loop, so that all state of the store has
 * one owner. Calls to one slot and level are executed in the order in which they were sent, unless a reply says that one was
 * not executed: who needs an order waits for the reply.
 */
public interface Link extends AutoCloseable {

    /** Queues a call; it leaves with the next {@link #flush}. */
    void send(Call call);

    /** Sends what was queued, in one write for each connection. */
    void flush();

    /** Gives replies that have come to their calls, at most so many, and returns how many that were. */
    int deliver(int limit);

    /** Whether no reply is owed and none waits to be delivered. */
    boolean isQuiet();

    /** Sends a call at once and waits for its reply, which is given to the caller and not to the call. */
    Reply await(Call call, Duration timeout);

    /** Whether each slot has a server of its own, so that one call must not have keys of two slots. */
    boolean isCluster();

    /** Why no call can be as durable, as far as the servers that are known can tell; null when it can. */
    @Nullable
    String cannot(Durability level);

    /** Why what is so durable may be lost nevertheless, as far as the servers that are known can tell; null when it may not. */
    @Nullable
    String doubt(Durability level);

    /**
     * Has every connection that is made from now on asked a question before any call goes over it: the server may be another one than
     * before, or the same without what it held. Where the answer is not the one that is expected, calls that wait for that connection
     * are answered that they were not executed. The answer of a server that has other slots does not count.
     */
    void greet(Greeting greeting);

    /** A question to a server that somebody connects to, and what it should answer. Used by the loop only. */
    interface Greeting {

        /** A plain command that only reads. */
        String[] question();

        /** Takes the answer, before any call goes over the connection; returns whether it is the one that is expected. */
        boolean take(@Nullable Object answer);
    }

    /**
     * Has messages of a channel given to the loop, with {@link #deliver}, each as a text with a character for each of its bytes; those sent while there is no
     * connection are lost, and those beyond 64 MiB that wait for the loop. Each channel has a connection of its own.
     */
    void subscribe(String channel, Consumer<String> receiver);

    /** Whether the messages of all channels come. Those before it became so may be lost. */
    boolean hears();

    /** How long the loop may rest when nothing comes: the link has timeouts to look at, and connections to open. */
    long idleNanos();

    /** Closes the connections; calls without a reply are answered nothing. Blocks a short while. */
    @Override
    void close();
}
