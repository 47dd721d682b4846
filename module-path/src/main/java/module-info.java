/** A program that takes Tickwheel as modules of the Java platform. */
module io.tickwheel.modules {
    requires io.tickwheel.engine;
    requires io.tickwheel.recurrence;
    requires io.tickwheel.store.file;
    requires io.tickwheel.store.redis;
    requires io.tickwheel.testkit;
    requires io.tickwheel.wheel.netty;
    requires static org.jspecify;
}
