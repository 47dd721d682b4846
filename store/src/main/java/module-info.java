/** What a store of timers promises. */
module io.tickwheel.store {
    requires static transitive org.jspecify;

    exports io.tickwheel.store;
}
