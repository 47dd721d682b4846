package io.tickwheel.engine;

import java.util.ArrayDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What other threads want of the loop. Commands come from outside and are bounded by the bytes that wait for an answer;
 * notes, which end what the loop itself began, are bounded by its credits and always taken. Any thread offers, the loop takes.
 */
final class Inbox {

    /** How many bytes of commands may wait for their answers. */
    static final int MAX_BYTES = 64 << 20;

    private final ReentrantLock lock = new ReentrantLock();
    private final Semaphore room = new Semaphore(MAX_BYTES);
    private ArrayDeque<Command> commands = new ArrayDeque<>();
    private ArrayDeque<Command> taken = new ArrayDeque<>();
    private ArrayDeque<Runnable> notes = new ArrayDeque<>();
    private ArrayDeque<Runnable> takenNotes = new ArrayDeque<>();
    private boolean closed;

    /** A wish from outside. */
    interface Command {

        /** About how many bytes it keeps in memory until it is answered. */
        int bytes();

        void run();

        void refuse(RuntimeException reason);
    }

    /** Takes room for a command, waiting for it; to be given back with {@link #free}. */
    void awaitRoom(int bytes) {
        room.acquireUninterruptibly(Math.min(bytes, MAX_BYTES));
    }

    boolean tryRoom(int bytes) {
        return room.tryAcquire(Math.min(bytes, MAX_BYTES));
    }

    void free(int bytes) {
        room.release(Math.min(bytes, MAX_BYTES));
    }

    /** Returns false when the inbox is closed. */
    boolean offer(Command command) {
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            commands.addLast(command);
            return true;
        } finally {
            lock.unlock();
        }
    }

    void note(Runnable note) {
        lock.lock();
        try {
            notes.addLast(note);
        } finally {
            lock.unlock();
        }
    }

    /** From now on no command is taken in. Those that are in can still be taken out. */
    void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    /** The next command, in the order of the offers. */
    @Nullable
    Command next() {
        if (taken.isEmpty()) {
            lock.lock();
            try {
                ArrayDeque<Command> empty = taken;
                taken = commands;
                commands = empty;
            } finally {
                lock.unlock();
            }
        }
        return taken.poll();
    }

    @Nullable
    Runnable nextNote() {
        if (takenNotes.isEmpty()) {
            lock.lock();
            try {
                ArrayDeque<Runnable> empty = takenNotes;
                takenNotes = notes;
                notes = empty;
            } finally {
                lock.unlock();
            }
        }
        return takenNotes.poll();
    }
}
