/** Netty's timer over the timing wheels. */
module io.tickwheel.wheel.netty {
    requires transitive io.netty.common;
    requires transitive io.tickwheel.wheel;
    requires static transitive org.jspecify;

    exports io.tickwheel.wheel.netty;
}
