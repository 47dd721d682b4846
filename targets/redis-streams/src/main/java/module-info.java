/** Delivers timers to Redis Streams. */
@SuppressWarnings("requires-automatic") // Lettuce is no module of its own yet; the name is in its manifest
module io.tickwheel.target.redis {
    requires transitive io.tickwheel.engine;
    requires io.tickwheel.target.message;
    requires io.netty.common;
    // Lettuce needs it, and with it most of Netty, and cannot say so.
    requires io.netty.resolver.dns;
    requires static transitive org.jspecify;
    requires org.slf4j;
    requires lettuce.core;

    exports io.tickwheel.target.redis;

    provides io.tickwheel.engine.TargetKind with
            io.tickwheel.target.redis.RedisStreamTargetKind;
}
