package io.tickwheel.engine;

import java.util.Optional;

/**
 * What takes messages in and makes timers of them. It tells a sender that a message is taken only when its timer is durable, and makes one timer of a message that comes
 * twice, as far as it can tell. A message that no timer can be made of is kept where its owner finds it, with the reason, and never dropped. Thread-safe.
 */
public interface Source {

    /** Why nothing is taken in at the moment, such as a broker that is away; empty when messages are. The server goes on without: other timers do not depend on it. */
    Optional<String> unready();

    /** What became of the messages since the source was opened. */
    SourceCounts counts();

    /** Takes nothing in any more, and frees what the source holds, within a second or so. Messages whose timer is not durable by then are left with the sender. */
    void close();
}
