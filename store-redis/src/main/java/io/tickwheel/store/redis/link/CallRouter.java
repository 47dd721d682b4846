package io.tickwheel.store.redis.link;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Gives each call to the session of its slot, and says what becomes of those that were refused: here it is decided that one is sent
 * again, and where to. Of the loop.
 *
 * <pre>
 *   enter -> Node of the slot -> Reconnector -> Session -> Attempt ... Inbox -> Session -> executed, settled -> ready
 *              ^                                                                     |
 *              +---------------------- Redirect: MOVED, ASK, NOSCRIPT --------------- refused
 * </pre>
 */
final class CallRouter implements CallSink {

    private static final int MOST_TURNS = 5;

    private final LinkContext context;
    private final ServerEvents events;
    private final Routes routes;
    private final Redirects redirects;
    private final ArrayDeque<Runnable> ready = new ArrayDeque<>();
    private long owed;
    private long sequence;

    CallRouter(LinkContext context, ServerEvents events) {
        this.context = context;
        this.events = events;
        routes = new Routes(context, this, events);
        redirects = new Redirects(context, this, routes, () -> sequence);
    }

    Routes routes() {
        return routes;
    }

    // ---- on the way

    /**
     * Takes a call on its way.
     *
     * @param isAwaited whether its reply is not to be delivered, as somebody waits for it
     */
    PendingCall enter(Call call, boolean isAwaited) {
        PendingCall pending = new PendingCall(call, ++sequence, context.now(), isAwaited);
        owed++;
        enter(pending);
        return pending;
    }

    private void enter(PendingCall pending) {
        Redirect redirect = redirects.of(pending);
        if (redirect != null) {
            if (redirect.isFull()) {
                settled(pending, Reply.unavailable("too many calls to its slot wait"));
            } else {
                redirect.add(pending);
            }
            return;
        }
        Node node = routes.node(pending.call.slot);
        if (node == null) {
            settled(pending, Reply.unavailable("its slot has no master"));
            return;
        }
        Reconnector reconnector = node.reconnector(pending.isDurable());
        Session session = reconnector.session();
        if (session == null) {
            settled(
                    pending,
                    Reply.unavailable(reconnector.trouble().isEmpty() ? "no connection yet" : reconnector.trouble()));
            return;
        }
        var unused = session.take(pending);
    }

    void flush() {
        routes.flush();
    }

    /** Looks at what time does to connections. */
    void care(long now) {
        routes.care(now);
        redirects.expire(now);
    }

    /** Sends what waited on redirects and can be sent. */
    void pump() {
        if (redirects.pump()) {
            routes.flush();
        }
    }

    /** Answers what waits on redirects that it was not executed. */
    void giveUp(String reason) {
        redirects.giveUp(reason);
    }

    // ---- the masters

    /** There is one master: the connections to any other are closed, so that nothing is on its way there any more. */
    void setMaster(Endpoint endpoint) {
        routes.setMaster(endpoint);
    }

    /** The masters by slot; null for a slot that has none. */
    void setMasters(@Nullable Endpoint[] endpoints) {
        if (routes.setMasters(endpoints)) {
            redirects.divert();
        }
    }

    // ---- what becomes of calls

    @Override
    public void executed(PendingCall pending) {
        Redirect redirect = redirects.of(pending);
        if (redirect != null) {
            redirect.executed(pending);
            redirect.landed();
        }
    }

    @Override
    public void left(PendingCall pending) {
        Redirect redirect = redirects.of(pending);
        if (redirect != null) {
            redirect.landed();
        }
    }

    @Override
    public void settled(PendingCall pending, Reply reply) {
        if (pending.reply != null) {
            return;
        }
        pending.reply = reply;
        owed--;
        if (!pending.isAwaited) {
            ready.add(pending);
        }
    }

    @Override
    public void refused(PendingCall pending, Session by, String error) {
        left(pending);
        switch (Refusal.of(error)) {
            case UNKNOWN_SCRIPT -> {
                pending.whole = true;
                again(pending, by, error);
            }
            case MOVED -> {
                int slot = Refusal.slot(error);
                Node former = routes.moved(slot, Refusal.target(error, by.endpoint));
                if (former != null) {
                    redirects.divert(slot, former);
                }
                events.lookAgain();
                pending.asked = null;
                again(pending, by, error);
            }
            case ASK -> {
                pending.asked = routes.node(Refusal.target(error, by.endpoint)).endpoint;
                again(pending, by, error);
            }
            case NOT_NOW -> by.settle(pending, Reply.Outcome.UNAVAILABLE, null, error);
            case NOT_HERE -> {
                events.askAnother();
                by.settle(pending, Reply.Outcome.UNAVAILABLE, null, error);
            }
            case FULL -> by.settle(pending, Reply.Outcome.FULL, null, error);
            case FOR_GOOD -> by.settle(pending, Reply.Outcome.REFUSED, null, error);
        }
    }

    private void again(PendingCall pending, Session by, String error) {
        pending.sent = false;
        if (pending.reply != null) {
            return;
        }
        if (++pending.turns > MOST_TURNS) {
            by.settle(pending, Reply.Outcome.UNAVAILABLE, null, "sent " + pending.turns + " times, and then " + error);
            return;
        }
        redirects.around(pending, by);
    }

    // ---- replies

    /** Has something run with the replies that are delivered. */
    void ready(Runnable task) {
        ready.add(task);
    }

    /** Gives replies that are there to their calls, at most so many, and returns how many that were. */
    int deliver(int limit) {
        int count = 0;
        while (count < limit && !ready.isEmpty()) {
            count++;
            ready.remove().run();
        }
        return count;
    }

    /** Whether a call has no reply yet. */
    boolean isOwed() {
        return owed > 0;
    }

    boolean isQuiet() {
        return owed == 0 && ready.isEmpty();
    }

    /** Forgets the replies that were not delivered. */
    void close() {
        ready.clear();
    }
}
