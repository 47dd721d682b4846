package io.tickwheel.store.redis.namespace;

import io.tickwheel.store.Durability;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFormatException;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.layout.Values;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.Reply;
import io.tickwheel.store.redis.link.Script;
import io.tickwheel.store.redis.query.BlockingQuery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * Holds the settings of a namespace against those of a node that opens it. The first node writes them down, with an id by which
 * this namespace is known from any other that may stand in its place; the first one of this
 * version carries a namespace of a former format, from the {@link Layout#OLDEST_FORMAT} on, over, when no node is alive that would not read what is
 * written from then on.
 */
public final class FormatCheck {

    private static final int PARTITIONS = 64;
    private static final Script CONFIG = Script.named("config");

    private final Link link;
    private final Layout layout;
    private final Duration lease;

    /** @param lease how long a node without a heartbeat counts as alive */
    public FormatCheck(Link link, Layout layout, Duration lease) {
        this.link = link;
        this.layout = layout;
        this.lease = lease;
    }

    /**
     * The layout of a namespace, or the one that it is to get.
     *
     * @param wanted how many partitions it is to have; empty for as many as it has
     */
    public static Layout layout(BlockingQuery query, String namespace, OptionalInt wanted) {
        if (wanted.isPresent()) {
            return new Layout(namespace, wanted.getAsInt());
        }
        Layout any = new Layout(namespace, 1);
        String partitions = new Values(query.ask(
                        any.homeSlot(), "HMGET", List.of(any.homeKey("config")), List.of(Layout.bytes("partitions"))))
                .textOrEmpty();
        return partitions.isEmpty() ? new Layout(namespace, PARTITIONS) : Layout.written(namespace, partitions);
    }

    /** Of an incarnation of a node of this version; those of a former format have another or none. */
    public static String mark() {
        return Layout.FORMAT + ":";
    }

    /**
     * Checks, writes down and carries over.
     *
     * @param newId for a namespace that has no id
     * @return the id of the namespace
     * @throws StoreFormatException when the namespace is another one than this node would open
     * @throws StoreException when a part of it is gone
     */
    public String check(Duration patience, String newId) {
        Call call = new ConfigCall(newId, reply -> {
            throw new IllegalStateException("it is waited for");
        });
        Reply reply = link.await(call, patience);
        if (!(reply.value() instanceof List<?> answer)) {
            throw new StoreException("Redis did not take the settings of the namespace: " + reply.reason());
        }
        return read(answer);
    }

    /** A call that checks and writes down, where there is an id; its answer is for {@link #read}. */
    Call call(Consumer<Reply> receiver) {
        return new ConfigCall("", receiver);
    }

    /**
     * Takes the answer.
     *
     * @return the id of the namespace
     * @throws StoreFormatException when the namespace is another one than this node would open
     * @throws StoreException when a part of it is gone
     */
    String read(List<?> answer) {
        Values config = new Values(answer);
        String format = config.text();
        String partitions = config.text();
        String id = config.text();
        String gone = config.text();
        List<String> formerNodes = new ArrayList<>();
        while (config.hasNext()) {
            formerNodes.add(config.text());
        }
        String namespace = "namespace " + layout.namespace + " has ";
        if (format.isEmpty()) {
            throw new StoreException("namespace " + layout.namespace + " is not there");
        }
        if (!partitions.equals(Integer.toString(layout.partitions))) {
            throw new StoreFormatException(namespace + partitions
                    + " partitions, must be opened with as many and not with " + layout.partitions);
        }
        if (!formerNodes.isEmpty()) {
            throw new StoreFormatException(
                    namespace + "format " + format + ", and nodes of an older version are running: stop them first: "
                            + String.join(", ", formerNodes));
        }
        if (!format.equals(Integer.toString(Layout.FORMAT))) {
            throw new StoreFormatException(
                    namespace + "format " + format + ", this version reads format " + Layout.FORMAT);
        }
        if (!gone.isEmpty()) {
            throw new StoreException(namespace + "lost partition " + gone
                    + ", and perhaps others: bring their data back, or accept the loss: tickwheel accept-empty --lost "
                    + id);
        }
        return id;
    }

    private final class ConfigCall extends Call {

        private final Consumer<Reply> receiver;

        ConfigCall(String newId, Consumer<Reply> receiver) {
            super(
                    layout.homeSlot(),
                    CONFIG,
                    List.of(layout.homeKey("config"), layout.homeKey("nodes"), layout.homeKey("ids")),
                    List.of(
                            Text.bytes(Layout.FORMAT),
                            Text.bytes(layout.partitions),
                            Text.bytes(Layout.OLDEST_FORMAT),
                            Text.bytes(mark()),
                            Text.bytes(lease.toMillis()),
                            Text.bytes(newId)),
                    Durability.MEMORY);
            this.receiver = receiver;
        }

        @Override
        public void answered(Reply reply) {
            receiver.accept(reply);
        }
    }
}
