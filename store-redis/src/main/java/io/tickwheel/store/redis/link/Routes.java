package io.tickwheel.store.redis.link;

import io.tickwheel.store.Durability;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The masters, and which has which slot. Of the loop. */
final class Routes {

    private static final int SLOTS = 16_384;

    private final LinkContext context;
    private final CallSink sink;
    private final ServerEvents events;
    private final Map<Endpoint, Node> nodes = new LinkedHashMap<>();

    /** By slot; where there is one master, it has all. */
    private final @Nullable Node[] masters = new @Nullable Node[SLOTS];

    private boolean known;

    Routes(LinkContext context, CallSink sink, ServerEvents events) {
        this.context = context;
        this.sink = sink;
        this.events = events;
    }

    /** The master of a slot, or null when the slot has none. */
    @Nullable
    Node node(int slot) {
        return masters[slot];
    }

    /** The node there, known or not. */
    Node node(Endpoint endpoint) {
        return nodes.computeIfAbsent(endpoint, ignored -> new Node(context, sink, events, endpoint));
    }

    /** The node there, or null when it is not known any more. */
    @Nullable
    Node known(Endpoint endpoint) {
        return nodes.get(endpoint);
    }

    Collection<Node> nodes() {
        return nodes.values();
    }

    /** There is one master. */
    void setMaster(Endpoint endpoint) {
        Endpoint[] all = new Endpoint[SLOTS];
        Arrays.fill(all, endpoint);
        var unused = setMasters(all);
    }

    /** Takes the masters by slot, null for a slot that has none; returns whether some have changed. */
    boolean setMasters(@Nullable Endpoint[] endpoints) {
        boolean changed = !known;
        for (int slot = 0; slot < SLOTS; slot++) {
            Endpoint endpoint = endpoints[slot];
            Node before = masters[slot];
            if (endpoint == null ? before != null : before == null || !before.endpoint.equals(endpoint)) {
                masters[slot] = endpoint == null ? null : node(endpoint);
                changed = true;
            }
        }
        known = true;
        if (changed) {
            List<Node> used = Arrays.asList(masters);
            Iterator<Node> each = nodes.values().iterator();
            while (each.hasNext()) {
                Node node = each.next();
                if (!used.contains(node)) {
                    each.remove();
                    node.close(node.endpoint + " is no longer a master");
                }
            }
        }
        return changed;
    }

    /** Takes that a slot has another master than was known; returns the former one, or null when it has none. */
    @Nullable
    Node moved(int slot, Endpoint endpoint) {
        Node node = node(endpoint);
        Node former = masters[slot];
        masters[slot] = node;
        return former == node ? null : former;
    }

    /** Whom to ask where the masters are: those that are known, and those that were given. */
    List<Endpoint> candidates(List<Endpoint> given) {
        List<Endpoint> all = new ArrayList<>(nodes.keySet());
        for (Endpoint each : given) {
            if (!all.contains(each)) {
                all.add(each);
            }
        }
        return all;
    }

    /** A master to hear messages from: the one where one is listening already, if it still is one. */
    @Nullable
    Endpoint anyMaster(@Nullable Endpoint current) {
        if (current != null && nodes.containsKey(current)) {
            return current;
        }
        for (Node node : nodes.values()) {
            if (node.isOpen()) {
                return node.endpoint;
            }
        }
        return null;
    }

    /** Whether all slots have a master with open connections. */
    boolean areOpen() {
        return known
                && Arrays.stream(masters).allMatch(each -> each != null)
                && nodes.values().stream().allMatch(Node::isOpen);
    }

    /** What keeps a connection from being open; empty when nothing is known to. */
    String trouble() {
        for (Node node : nodes.values()) {
            if (!node.trouble().isEmpty()) {
                return node.trouble();
            }
        }
        return "";
    }

    /** Why no call to one of the masters can be as durable; null when it can. */
    @Nullable
    String cannot(Durability level) {
        return firstSaid(server -> server.cannot(level));
    }

    /** Why what is so durable may be lost nevertheless; null when it may not, as far as is known. */
    @Nullable
    String doubt(Durability level) {
        return firstSaid(server -> server.doubt(level));
    }

    private @Nullable String firstSaid(Function<ServerReport, @Nullable String> about) {
        for (Node node : nodes.values()) {
            Session session = node.reconnector(true).session();
            String said = session == null || session.server == null ? null : about.apply(session.server);
            if (said != null) {
                return said;
            }
        }
        return null;
    }

    /** What is missing. */
    String gap() {
        int slot = Arrays.asList(masters).indexOf(null);
        return slot < 0 || !known ? "no connection in time" : "slot " + slot + " has no master, must have one";
    }

    void care(long now) {
        // A copy, because what one learns may change them.
        for (Node each : List.copyOf(nodes.values())) {
            each.care(now);
        }
    }

    void flush() {
        for (Node each : nodes.values()) {
            each.flush();
        }
    }
}
