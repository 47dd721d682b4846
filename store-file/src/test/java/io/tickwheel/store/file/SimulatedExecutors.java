package io.tickwheel.store.file;

import java.util.concurrent.Executor;

/** What the executors of a simulated store have to do, and in which steps they do it. */
interface SimulatedExecutors {

    Executor log();

    Executor background();

    /** Lets the log do something, if it has anything to do. */
    void stepLog();

    /** Lets the background do something, if it has anything to do. */
    void stepBackground();

    /** Whether nothing is left to do. */
    boolean isIdle();

    /** Forgets what is left to do, as when the process ends. */
    void abandon();
}
