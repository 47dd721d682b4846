/** Durable timers inside of a program: joins a store with a timing wheel. */
module io.tickwheel.engine {
    requires transitive io.tickwheel.recurrence;
    requires transitive io.tickwheel.store;
    requires io.tickwheel.wheel;
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.tickwheel.engine;
}
