package io.tickwheel.engine;

import java.util.concurrent.Executor;

/**
 * Where the engine's work runs. The engine starts no thread itself, so that a simulation can run all of it on one. A
 * {@code Threads} serves one engine.
 */
public interface Threads extends AutoCloseable {

    /** An executor that runs its tasks one at a time, in order, and never interrupts one. */
    Executor serial(String name);

    /** An executor for code of the user, any number of tasks at once. */
    Executor handlers();

    /** An executor for short reads of files, a few at once, that never interrupts one. */
    Executor readers();

    /** Runs the loop from now on, until it says that it is done. */
    Running run(String name, Loop loop);

    /** Waits for what runs, then frees the threads. */
    @Override
    void close();

    /** Work that is done turn by turn, by one thread. */
    interface Loop {

        long DONE = -1;

        /**
         * Does one bounded turn.
         *
         * @return the nanoseconds until the next turn is needed, unless woken before; 0 for at once; {@link #DONE} when no
         *     further turn must be made
         */
        long turn();

        /**
         * How long to stay away after the turn that was just made, woken or not, so that what comes meanwhile is done together; in
         * nanoseconds.
         */
        default long gatherNanos() {
            return 0;
        }
    }

    /** A loop that is running. Thread-safe. */
    interface Running {

        /** Makes the loop take its next turn soon, if it waits. Cheap when it does not. */
        void wake();
    }
}
