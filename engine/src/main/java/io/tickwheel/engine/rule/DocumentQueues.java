package io.tickwheel.engine.rule;

/** The queues of timers that are none of anybody, as the engine keeps its own documents in them. No program can name such a queue. */
public final class DocumentQueues {

    /** Where the settings of queues are. */
    public static final String SETTINGS = "~queues";

    /** Where bulk runs are. */
    public static final String BULKS = "~bulk";

    /** Where the documents are that a program keeps beside its timers. */
    public static final String PROGRAM = "~documents";

    private DocumentQueues() {}
}
