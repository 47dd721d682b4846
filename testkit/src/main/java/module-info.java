/** For tests of programs with timers: a clock and threads that a test drives, and a store in memory. */
module io.tickwheel.testkit {
    requires transitive io.tickwheel.engine;
    requires transitive io.tickwheel.store;
    requires transitive io.tickwheel.wheel;
    requires static transitive org.jspecify;

    exports io.tickwheel.testkit;
}
