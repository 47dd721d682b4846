package io.tickwheel.benchmarks.messages;

import io.tickwheel.engine.SourceKind;
import java.util.Map;

/**
 * Messages with a delay that go in at one place of a broker and come out at another. A message has its number and its due time as text, with a space between. Closing it
 * closes its connections.
 */
interface Inlet extends AutoCloseable {

    /** What reads the place where messages go in. */
    SourceKind kind();

    /** What the kind is opened with. */
    Map<String, String> options();

    /** Sends one that is due after {@code delayMs}; returns before the broker has it. */
    void send(String message, int delayMs) throws Exception;

    /** Returns when the broker has all that were sent. */
    void flush() throws Exception;

    /** Gives what comes out to the taker, as soon as it is there, on a thread of its own. */
    void take(Taker taker) throws Exception;

    @Override
    void close();

    /** Takes messages, one after the other. */
    interface Taker {
        void came(String message);
    }
}
