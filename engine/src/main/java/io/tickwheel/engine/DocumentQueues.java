package io.tickwheel.engine;

/** The queues of timers that are none of anybody, as the engine keeps its own documents in them. No program can name such a queue. */
final class DocumentQueues {

    /** Where the settings of queues are. */
    static final String SETTINGS = "~queues";

    /** Where bulk runs are. */
    static final String BULKS = "~bulk";

    private DocumentQueues() {}
}
