package io.tickwheel.store.redis.loading;

/** Where timers go that were seen. */
public interface TimerLoader {

    /** Whether a timer is loaded as it was seen. */
    boolean has(SeenTimer seen);

    /** Loads a timer, if its lane may start and has room for it; returns whether it did. */
    boolean load(RedisLane lane, SeenTimer seen);
}
