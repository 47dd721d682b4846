package io.tickwheel.benchmarks;

import io.tickwheel.store.Durability;

/** A way to keep timers on Redis that is measured. */
record RedisContender(String name, Opener opener) {

    static final String TICKWHEEL = "Tickwheel";
    static final String REDISSON = "Redisson";
    static final String MINUTE_SETS = "minute sets";
    static final String BARE_SCRIPTS = "bare scripts";

    /** Opens a node of it. */
    interface Opener {
        RedisNode open(RedisUnderTest redis) throws Exception;
    }

    /** The ways by their names as options. */
    static RedisContender named(String name, TickwheelOnRedis.Attempts attempts, int takers) {
        return switch (name) {
            case "tickwheel" ->
                new RedisContender(TICKWHEEL, redis -> TickwheelOnRedis.open(redis, Durability.MEMORY, attempts));
            case "redisson" -> new RedisContender(REDISSON, redis -> RedissonPeer.open(redis, takers));
            case "minute-sets" -> new RedisContender(MINUTE_SETS, MinuteSetsPeer::open);
            case "bare-scripts" -> new RedisContender(BARE_SCRIPTS, BareScriptsPeer::open);
            default -> throw new IllegalArgumentException("no contender " + name);
        };
    }

    RedisNode open(RedisUnderTest redis) throws Exception {
        return opener.open(redis);
    }

    boolean isTickwheel() {
        return name.equals(TICKWHEEL);
    }
}
