/** What timers look like in message queues, whichever these are. */
module io.tickwheel.target.message {
    requires transitive io.tickwheel.engine;
    requires static transitive org.jspecify;

    exports io.tickwheel.target.message;
}
