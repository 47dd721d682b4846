/** Timing wheels, and a timer for many threads on top of them. */
module io.tickwheel.wheel {
    requires static transitive org.jspecify;

    exports io.tickwheel.wheel;
}
