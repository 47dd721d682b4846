package io.tickwheel.benchmarks;

import java.io.IOException;

/** A server of timers that ours is measured beside, running. What a connection was told is on disk, synced. */
interface Peer extends AutoCloseable {

    /** A connection, for one thread. */
    Connection connect() throws Exception;

    /** From now on takes what comes due, as soon as it can. Called once. */
    void receive(Receiver receiver) throws Exception;

    @Override
    void close();

    interface Connection extends AutoCloseable {
        /** Schedules a timer and waits until it is accepted. */
        void put(long number, long dueAtMs) throws Exception;

        @Override
        void close() throws IOException;
    }

    /** Told by any thread what has come. */
    interface Receiver {
        void arrived(byte[] payload);
    }
}
