package io.tickwheel.store.redis;

import java.util.HashMap;
import java.util.Map;

/** How many timers may still be told to the listener, in all and of one queue. Used by the loop only. */
final class Room {

    private final Map<String, Integer> loadedOfQueue = new HashMap<>();
    private int left;
    private int leftOfQueue;
    private int asked;

    /** What the last {@link RedisCalendar#load} said. */
    void set(int room, int queueRoom) {
        left = room;
        leftOfQueue = queueRoom;
    }

    /** Takes a part of what is left for timers that are on their way; to be given back with {@link #giveBack}. */
    int ask(int most) {
        int part = Math.max(0, Math.min(most, left - asked));
        asked += part;
        return part;
    }

    void giveBack(int part) {
        asked -= part;
    }

    boolean isFull() {
        return left <= 0;
    }

    boolean isFullFor(String queue) {
        return loadedOfQueue.getOrDefault(queue, 0) >= leftOfQueue;
    }

    void loaded(String queue) {
        left--;
        leftOfQueue--;
        loadedOfQueue.merge(queue, 1, Integer::sum);
    }

    /** It is told again that it is loaded: the listener had kept its room. */
    void loadedAgain(String queue) {
        loadedOfQueue.merge(queue, 1, Integer::sum);
    }

    void unloaded(String queue) {
        loadedOfQueue.computeIfPresent(queue, (name, loaded) -> loaded == 1 ? null : loaded - 1);
    }
}
