package io.tickwheel.store.redis.link;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Gives each call to the session of its slot, and says what becomes of those that were refused: here it is decided that one is sent
 * again, and where to. Of the loop.
 *
 * <pre>
 *   enter -> Node of the slot -> SessionKeeper -> Session -> Attempt ... Inbox -> Session -> executed, settled -> ready
 *              ^                                                                     |
 *              +---------------------- Detour: MOVED, ASK, NOSCRIPT --------------- refused
 * </pre>
 */
final class CallRouter implements CallSink {

    private static final int MOST_TURNS = 5;

    private final LinkContext context;
    private final ServerEvents events;
    private final Routes routes;
    private final Detours detours;
    private final ArrayDeque<Runnable> ready = new ArrayDeque<>();
    private long owed;
    private long sequence;

    CallRouter(LinkContext context, ServerEvents events) {
        this.context = context;
        this.events = events;
        routes = new Routes(context, this, events);
        detours = new Detours(context, this, routes, () -> sequence);
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
    Passage enter(Call call, boolean isAwaited) {
        Passage passage = new Passage(call, ++sequence, context.now(), isAwaited);
        owed++;
        enter(passage);
        return passage;
    }

    private void enter(Passage passage) {
        Detour detour = detours.of(passage);
        if (detour != null) {
            if (detour.isFull()) {
                settled(passage, Reply.unavailable("too many calls to its slot wait"));
            } else {
                detour.add(passage);
            }
            return;
        }
        Node node = routes.node(passage.call.slot);
        if (node == null) {
            settled(passage, Reply.unavailable("its slot has no master"));
            return;
        }
        SessionKeeper keeper = node.keeper(passage.isDurable());
        Session session = keeper.session();
        if (session == null) {
            settled(passage, Reply.unavailable(keeper.trouble().isEmpty() ? "no connection yet" : keeper.trouble()));
            return;
        }
        var unused = session.take(passage);
    }

    void flush() {
        routes.flush();
    }

    /** Looks at what time does to connections. */
    void care(long now) {
        routes.care(now);
        detours.expire(now);
    }

    /** Sends what waited on detours and can be sent. */
    void pump() {
        if (detours.pump()) {
            routes.flush();
        }
    }

    /** Answers what waits on detours that it was not executed. */
    void giveUp(String reason) {
        detours.giveUp(reason);
    }

    // ---- the masters

    /** There is one master. */
    void setMaster(Endpoint endpoint) {
        if (routes.setMaster(endpoint)) {
            detours.divert();
        }
    }

    /** The masters by slot; null for a slot that has none. */
    void setMasters(@Nullable Endpoint[] endpoints) {
        if (routes.setMasters(endpoints)) {
            detours.divert();
        }
    }

    // ---- what becomes of calls

    @Override
    public void executed(Passage passage) {
        Detour detour = detours.of(passage);
        if (detour != null) {
            detour.executed(passage);
            detour.landed();
        }
    }

    @Override
    public void left(Passage passage) {
        Detour detour = detours.of(passage);
        if (detour != null) {
            detour.landed();
        }
    }

    @Override
    public void settled(Passage passage, Reply reply) {
        if (passage.reply != null) {
            return;
        }
        passage.reply = reply;
        owed--;
        if (!passage.isAwaited) {
            ready.add(passage);
        }
    }

    @Override
    public void refused(Passage passage, Session by, String error) {
        left(passage);
        switch (Refusal.of(error)) {
            case UNKNOWN_SCRIPT -> {
                passage.whole = true;
                again(passage, by, error);
            }
            case MOVED -> {
                int slot = Refusal.slot(error);
                Node former = routes.moved(slot, Refusal.target(error, by.endpoint));
                if (former != null) {
                    detours.divert(slot, former);
                }
                events.lookAgain();
                passage.asked = null;
                again(passage, by, error);
            }
            case ASK -> {
                passage.asked = routes.node(Refusal.target(error, by.endpoint)).endpoint;
                again(passage, by, error);
            }
            case NOT_NOW -> by.settle(passage, Reply.Outcome.UNAVAILABLE, null, error);
            case NOT_HERE -> {
                events.askAnother();
                by.settle(passage, Reply.Outcome.UNAVAILABLE, null, error);
            }
            case FULL -> by.settle(passage, Reply.Outcome.FULL, null, error);
            case FOR_GOOD -> by.settle(passage, Reply.Outcome.REFUSED, null, error);
        }
    }

    private void again(Passage passage, Session by, String error) {
        passage.sent = false;
        if (passage.reply != null) {
            return;
        }
        if (++passage.turns > MOST_TURNS) {
            by.settle(passage, Reply.Outcome.UNAVAILABLE, null, "sent " + passage.turns + " times, and then " + error);
            return;
        }
        detours.around(passage, by);
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
