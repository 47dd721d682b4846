/** When recurring timers are due. */
module io.tickwheel.recurrence {
    requires static transitive org.jspecify;

    exports io.tickwheel.recurrence;
}
