/** What an engine does, for Micrometer. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Micrometer is no module of its own yet
module io.tickwheel.micrometer {
    requires transitive io.tickwheel.engine;
    requires transitive micrometer.core;
    requires static transitive org.jspecify;

    exports io.tickwheel.micrometer;
}
