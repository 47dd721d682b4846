package io.tickwheel.server.config;

import io.tickwheel.server.wire.JsonOut;
import java.io.PrintWriter;

/** What a look through all of a store has found. Immutable. */
public interface StoreFindings {

    /** Whether nothing is wrong. */
    boolean isSound();

    /** Writes what was found for people, and last a line that sums up. */
    void print(PrintWriter out);

    /** Writes what was found as one JSON object. */
    JsonOut json();
}
