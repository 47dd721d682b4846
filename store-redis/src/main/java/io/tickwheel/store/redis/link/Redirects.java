package io.tickwheel.store.redis.link;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The slots whose calls are on a {@link Redirect}, of each kind of connection. Mostly none. Of the loop. */
final class Redirects {

    private static final boolean[] KINDS = {false, true};

    private final LinkContext context;
    private final CallSink sink;
    private final Routes routes;
    private final LongSupplier latestSequence;
    private final Map<Integer, Redirect> open = new HashMap<>();

    /** @param latestSequence that of the last call that was sent */
    Redirects(LinkContext context, CallSink sink, Routes routes, LongSupplier latestSequence) {
        this.context = context;
        this.sink = sink;
        this.routes = routes;
        this.latestSequence = latestSequence;
    }

    private static int key(int slot, boolean durable) {
        return 2 * slot + (durable ? 1 : 0);
    }

    /** The redirect that a call has to take, or null. */
    @Nullable
    Redirect of(PendingCall pending) {
        return open.isEmpty() ? null : open.get(key(pending.call.slot, pending.isDurable()));
    }

    /** Has a call sent again that was not executed, and those to its slot after it. */
    void around(PendingCall pending, Session session) {
        around(pending.call.slot, pending.isDurable(), session).add(pending);
    }

    /** Has calls to a slot wait for those that are on their way in a session. */
    private Redirect around(int slot, boolean durable, Session session) {
        return open.computeIfAbsent(
                key(slot, durable),
                ignored -> new Redirect(
                        sink,
                        routes,
                        context.timeoutNanos,
                        slot,
                        durable,
                        session.owed(slot),
                        session,
                        latestSequence.getAsLong()));
    }

    /** A slot has another master: those that are on their way to the former one must not be overtaken. */
    void divert(int slot, Node former) {
        for (boolean durable : KINDS) {
            Session session = former.reconnector(durable).session();
            if (session != null && session.owed(slot) > 0) {
                var unused = around(slot, durable, session);
            }
        }
    }

    /** Slots may have other masters: as for each of them. */
    void divert() {
        for (Node node : routes.nodes()) {
            for (boolean durable : KINDS) {
                Session session = node.reconnector(durable).session();
                if (session != null) {
                    divert(node, durable, session);
                }
            }
        }
    }

    private void divert(Node node, boolean durable, Session session) {
        for (int slot : session.owedSlots()) {
            if (routes.node(slot) != node) {
                var unused = around(slot, durable, session);
            }
        }
    }

    void expire(long now) {
        open.values().forEach(each -> each.expire(now));
    }

    /** Answers what waits that it was not executed. */
    void giveUp(String reason) {
        open.values().forEach(each -> each.giveUp(reason));
    }

    /** Sends what can be sent; returns whether something may have been. */
    boolean pump() {
        return !open.isEmpty() && pumpAll();
    }

    private boolean pumpAll() {
        open.values().removeIf(Redirect::advance);
        return true;
    }
}
