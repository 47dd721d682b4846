package io.tickwheel.engine;

import java.util.ArrayDeque;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * What other threads want of the loop, and what wakes it. Commands come from outside and are bounded by the bytes that wait for an
 * answer; notes, which end what the loop itself began, are bounded by its credits and always taken. Any thread offers, the loop takes.
 * Each of the two waits in an {@link MpscQueue}.
 */
final class Inbox {

    /** How many bytes of commands may wait for their answers: 64 MiB, or an eighth of a smaller heap. */
    static final int MAX_BYTES =
            (int) Math.min(64 << 20, Math.max(1 << 20, Runtime.getRuntime().maxMemory() / 8));

    private final Semaphore room = new Semaphore(MAX_BYTES);
    private final MpscQueue<Command> commands = new MpscQueue<>();
    private final MpscQueue<Note> notes = new MpscQueue<>();
    private volatile Threads.@Nullable Running loop;

    /** Owned by the loop: commands that it has taken, and that it is to decide once more. */
    private final ArrayDeque<Command> again = new ArrayDeque<>();

    /** Owned by the loop: the bytes of commands that were answered in this turn. */
    private int answeredBytes;

    /** A wish from outside. */
    abstract static class Command extends MpscQueue.Link {

        abstract void decide();

        abstract void refuse(RuntimeException reason);
    }

    /** Something to do on the loop. */
    abstract static class Note extends MpscQueue.Link {

        abstract void take();
    }

    private static final class Task extends Note {

        private final Runnable task;

        Task(Runnable task) {
            this.task = task;
        }

        @Override
        void take() {
            task.run();
        }
    }

    // ---- any thread may call this

    /** Takes room for a command, waiting for it; to be given back with {@link #free} or {@link #answered}. */
    void awaitRoom(int bytes) {
        room.acquireUninterruptibly(bytes);
    }

    boolean tryRoom(int bytes) {
        return room.tryAcquire(bytes);
    }

    void free(int bytes) {
        room.release(bytes);
    }

    /** Leaves a command for the loop and wakes it; returns false when the inbox is closed. */
    boolean offer(Command command) {
        if (!commands.add(command)) {
            return false;
        }
        wake();
        return true;
    }

    void note(Runnable task) {
        note(new Task(task));
    }

    /** Leaves a note for the loop and wakes it. */
    void note(Note note) {
        notes.add(note);
        wake();
    }

    void wake() {
        Threads.Running started = loop;
        if (started != null) {
            started.wake();
        }
    }

    /** Lets no command in from now on. Those that are in can still be taken out. */
    void close() {
        commands.close();
    }

    /** Learns which loop to wake; to be called once, by whoever has started it. */
    void start(Threads.Running started) {
        loop = started;
        // Who woke the loop before it was known here woke nobody.
        wake();
    }

    // ---- only the loop calls this

    /** The next command: those that are to be decided once more, then the others in the order of the offers. */
    @Nullable
    Command next() {
        Command taken = again.poll();
        return taken != null ? taken : commands.poll();
    }

    /** Leaves a command that was taken before, ahead of those that were offered. */
    void again(Command command) {
        again.add(command);
    }

    @Nullable
    Note nextNote() {
        return notes.poll();
    }

    /** Notes that a command of so many bytes has its answer: its room is free once the turn is over. */
    void answered(int bytes) {
        answeredBytes += bytes;
    }

    /** Frees the room of the commands that were answered in this turn. */
    void freeAnswered() {
        free(answeredBytes);
        answeredBytes = 0;
    }
}
