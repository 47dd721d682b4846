package io.tickwheel.store.redis.link;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The slots whose calls are on a {@link Detour}, of each kind of connection. Mostly none. Of the loop. */
final class Detours {

    private final LettuceLink link;
    private final Map<Integer, Detour> open = new HashMap<>();

    Detours(LettuceLink link) {
        this.link = link;
    }

    private static int key(int slot, boolean durable) {
        return 2 * slot + (durable ? 1 : 0);
    }

    /** The detour that a call has to take, or null. */
    @Nullable
    Detour of(Passage passage) {
        return open.isEmpty() ? null : open.get(key(passage.call.slot, passage.isDurable()));
    }

    /** Has a call sent again that was not executed, and those to its slot after it. */
    void around(Passage passage, Session session) {
        around(passage.call.slot, passage.isDurable(), session).add(passage);
    }

    /** Has calls to a slot wait for those that are on their way in a session. */
    Detour around(int slot, boolean durable, Session session) {
        return open.computeIfAbsent(
                key(slot, durable), ignored -> new Detour(link, slot, durable, session.owed(slot), session));
    }

    void expire(long now) {
        open.values().forEach(each -> each.expire(now));
    }

    /** Answers what waits that it was not executed. */
    void giveUp(String reason) {
        open.values().forEach(each -> each.giveUp(reason));
    }

    /** Sends what can be sent, and says whether something was. */
    boolean pump() {
        return !open.isEmpty() && pumpAll();
    }

    private boolean pumpAll() {
        open.values().removeIf(Detour::isOver);
        return true;
    }
}
