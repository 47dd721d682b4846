package io.tickwheel.store.redis.link;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what servers answer when they are asked for the masters. */
final class Topology {

    private static final int SLOTS = 16_384;

    private Topology() {}

    /**
     * Of {@code SENTINEL GET-MASTER-ADDR-BY-NAME}: host and port.
     *
     * @throws IllegalArgumentException when the sentinel does not know the name
     */
    static Endpoint master(TopologyRefresh.Reply reply, String name) {
        if (reply.value() instanceof List<?> both && both.size() == 2) {
            return new Endpoint(text(both.get(0)), Integer.parseInt(text(both.get(1))));
        }
        throw new IllegalArgumentException("knows no master of the name " + name + ", must be one that it watches");
    }

    /**
     * Of {@code CLUSTER SLOTS}: for each range first, last, and the nodes, of which the first is the master, each with host and
     * port.
     *
     * @return by slot, null for a slot without a master
     * @throws IllegalArgumentException when the node knows no master at all
     */
    static @Nullable Endpoint[] masters(TopologyRefresh.Reply reply) {
        @Nullable Endpoint[] masters = new @Nullable Endpoint[SLOTS];
        if (!(reply.value() instanceof List<?> ranges) || ranges.isEmpty()) {
            throw new IllegalArgumentException("knows no masters of a cluster");
        }
        for (Object range : ranges) {
            List<?> parts = (List<?>) range;
            int first = Math.toIntExact((Long) parts.get(0));
            int last = Math.toIntExact((Long) parts.get(1));
            List<?> node = (List<?>) parts.get(2);
            String host = text(node.get(0));
            // A node that does not know its own address means the one that it was asked at.
            boolean named = !host.isEmpty() && !host.equals("?");
            int port = Math.toIntExact((Long) node.get(1));
            Arrays.fill(
                    masters,
                    first,
                    last + 1,
                    new Endpoint(named ? host : reply.teller().host(), port));
        }
        return masters;
    }

    private static String text(@Nullable Object value) {
        return value instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : "";
    }
}
