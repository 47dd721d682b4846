/** The store on Redis. */
@SuppressWarnings("requires-automatic") // Lettuce is no module of its own yet; the name is in its manifest
module io.tickwheel.store.redis {
    requires transitive io.tickwheel.store;
    requires io.netty.buffer;
    requires io.netty.common;
    // Lettuce needs it, and with it most of Netty, and cannot say so.
    requires io.netty.resolver.dns;
    requires static transitive org.jspecify;
    requires org.slf4j;
    requires lettuce.core;

    exports io.tickwheel.store.redis;
}
