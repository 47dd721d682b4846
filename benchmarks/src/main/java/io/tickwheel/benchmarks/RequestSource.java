package io.tickwheel.benchmarks;

/** Makes the requests of a load. */
interface RequestSource {

    /** Appends request number {@code number} to what the connection sends. */
    void append(long number, HttpWriter out);
}
