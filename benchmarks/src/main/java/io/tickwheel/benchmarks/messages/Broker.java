package io.tickwheel.benchmarks.messages;

import io.tickwheel.engine.TargetKind;
import java.util.Map;

/** A broker in a process of its own, with one place for messages that is empty at first. Closing it ends the process. */
interface Broker extends AutoCloseable {

    /** The place, by the form that the kind's setting has. */
    String PLACE = "timers";

    TargetKind kind();

    /** What the kind is opened with. */
    Map<String, String> options();

    /** The setting of the kind that names the place. */
    default String setting() {
        return PLACE;
    }

    /** How many messages are in the place. */
    long messages() throws Exception;

    /** The places where messages wait for their time, which are empty at first. */
    default Inlet inlet() throws Exception {
        throw new IllegalArgumentException(kind().name() + " takes no messages in");
    }

    @Override
    void close();
}
