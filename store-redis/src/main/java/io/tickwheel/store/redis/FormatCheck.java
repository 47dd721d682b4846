package io.tickwheel.store.redis;

import io.tickwheel.store.Durability;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFormatException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Holds the settings of a namespace against those of a node that opens it. The first node writes them down; the first one of this
 * version carries a namespace of the {@link Layout#FORMER_FORMAT} over, when no node is alive that would not read what is
 * written from then on.
 */
final class FormatCheck {

    private static final Script CONFIG = Script.named("config");

    private final Link link;
    private final Layout layout;
    private final Duration lease;

    /** @param lease how long a node without a heartbeat counts as alive */
    FormatCheck(Link link, Layout layout, Duration lease) {
        this.link = link;
        this.layout = layout;
        this.lease = lease;
    }

    /** Of an incarnation of a node of this version; those of the former format have none. */
    static String mark() {
        return Layout.FORMAT + ":";
    }

    /**
     * Checks, and carries over.
     *
     * @throws StoreFormatException when the namespace is another one than this node would open
     */
    void check(Duration patience) {
        Reply reply = link.await(new ConfigCall(), patience);
        if (!(reply.value() instanceof List<?> answer)) {
            throw new StoreException("Redis did not take the settings of the namespace: " + reply.reason());
        }
        Values config = new Values(answer);
        String format = config.text();
        String partitions = config.text();
        List<String> formerNodes = new ArrayList<>();
        while (config.hasNext()) {
            formerNodes.add(config.text());
        }
        String namespace = "namespace " + layout.namespace + " has ";
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
    }

    private final class ConfigCall extends Call {

        ConfigCall() {
            super(
                    layout.homeSlot(),
                    CONFIG,
                    List.of(layout.homeKey("config"), layout.homeKey("nodes"), layout.homeKey("ids")),
                    List.of(
                            Text.bytes(Layout.FORMAT),
                            Text.bytes(layout.partitions),
                            Text.bytes(Layout.FORMER_FORMAT),
                            Text.bytes(mark()),
                            Text.bytes(lease.toMillis())),
                    Durability.MEMORY);
        }

        @Override
        void answered(Reply reply) {
            throw new IllegalStateException("it is waited for");
        }
    }
}
