package io.tickwheel.server.crash;

import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Counts the server processes, and keeps requests from straddling two of them: clients hold the gate while they ask, the
 * killer shuts it before it starts the next process. So each request and each arrival belongs to exactly one process.
 */
final class CrashLifetimes {

    private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock(true);
    private volatile int current;

    /** To be called by the thread that kills; shut at first. */
    CrashLifetimes() {
        gate.writeLock().lock();
    }

    /** Waits for a server that is ready, and keeps the next one from being started until {@link #leave}. */
    int enter() {
        gate.readLock().lock();
        return current;
    }

    void leave() {
        gate.readLock().unlock();
    }

    /** Waits until no request is under way; only the killer calls it, after the kill. */
    void shut() {
        gate.writeLock().lock();
    }

    void open() {
        gate.writeLock().unlock();
    }

    int next() {
        int number = current + 1;
        current = number;
        return number;
    }

    int current() {
        return current;
    }
}
