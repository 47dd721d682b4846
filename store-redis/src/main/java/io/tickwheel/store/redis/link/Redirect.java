package io.tickwheel.store.redis.link;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls to one slot after one of them was not executed where it was sent, and is to be sent again: they wait here until those
 * that were sent before are answered, so that none overtakes another. One that has been overtaken all the same, because a later
 * one was executed, is not sent again: it is answered that it was not executed. Of the loop.
 */
final class Redirect {

    private final CallSink sink;
    private final Routes routes;
    private final long timeoutNanos;
    private final int slot;
    private final boolean durable;

    /** In the order of their sequences. */
    private final List<PendingCall> waiting = new ArrayList<>();

    /** How many calls are on their way, all in the same session. */
    private int flying;

    private Session over;

    /** No call on its way is later than this one. */
    private long latest;

    /**
     * @param flying how many calls are on their way in the session
     * @param latest no call on its way is later than this one
     */
    Redirect(
            CallSink sink,
            Routes routes,
            long timeoutNanos,
            int slot,
            boolean durable,
            int flying,
            Session over,
            long latest) {
        this.sink = sink;
        this.routes = routes;
        this.timeoutNanos = timeoutNanos;
        this.slot = slot;
        this.durable = durable;
        this.flying = flying;
        this.over = over;
        this.latest = latest;
    }

    void add(PendingCall pending) {
        int place = waiting.size();
        while (place > 0 && waiting.get(place - 1).sequence > pending.sequence) {
            place--;
        }
        waiting.add(place, pending);
    }

    boolean isFull() {
        return waiting.size() >= Session.MOST_CALLS;
    }

    /** A call that was on its way is answered, or will not be. */
    void landed() {
        flying--;
    }

    /** A call was executed, so earlier ones must not be any more. */
    void executed(PendingCall later) {
        while (!waiting.isEmpty() && waiting.get(0).sequence < later.sequence) {
            PendingCall overtaken = waiting.remove(0);
            sink.settled(overtaken, Reply.unavailable("a later call to its slot was executed before it"));
        }
    }

    /** Gives up what has waited for too long. */
    void expire(long now) {
        waiting.removeIf(each -> {
            boolean late = now - each.bornNanos > timeoutNanos;
            if (late) {
                sink.settled(each, Reply.unavailable("its slot was not to be reached in time"));
            }
            return late || each.reply != null;
        });
    }

    /** Answers what waits that it was not executed. */
    void giveUp(String reason) {
        waiting.forEach(each -> sink.settled(each, Reply.unavailable(reason)));
        waiting.clear();
    }

    /** Sends what can be sent; returns whether the redirect is over. */
    boolean advance() {
        while (!waiting.isEmpty()) {
            PendingCall first = waiting.get(0);
            Node node = first.asked == null ? routes.node(slot) : routes.known(first.asked);
            Session session = sessionFor(node);
            if (session == null) {
                if (node == null || !node.reconnector(durable).trouble().isEmpty()) {
                    waiting.remove(0);
                    sink.settled(first, Reply.unavailable(whyNot(first, node)));
                    continue;
                }
                return false;
            }
            if (flying > 0 && (session != over || first.sequence <= latest)) {
                return false;
            }
            waiting.remove(0);
            if (session.take(first)) {
                over = session;
                flying++;
                latest = first.sequence;
            }
        }
        // Where new calls go to the same session, it keeps their order.
        return flying == 0 || sessionFor(routes.node(slot)) == over;
    }

    private String whyNot(PendingCall pending, @Nullable Node node) {
        if (node != null) {
            return node.reconnector(durable).trouble();
        }
        return pending.asked == null ? "its slot has no master" : "the node that it was to go to instead is gone";
    }

    private @Nullable Session sessionFor(@Nullable Node node) {
        return node == null ? null : node.reconnector(durable).session();
    }
}
