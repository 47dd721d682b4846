package io.tickwheel.engine;

import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * What other threads want of the loop. Commands come from outside and are bounded by the bytes that wait for an answer;
 * notes, which end what the loop itself began, are bounded by its credits and always taken. Any thread offers, the loop takes.
 */
final class Inbox {

    /** How many bytes of commands may wait for their answers: 64 MiB, or an eighth of a smaller heap. */
    static final int MAX_BYTES =
            (int) Math.min(64 << 20, Math.max(1 << 20, Runtime.getRuntime().maxMemory() / 8));

    private final Semaphore room = new Semaphore(MAX_BYTES);
    private final Arrivals<Command> commands = new Arrivals<>();
    private final Arrivals<Note> notes = new Arrivals<>();

    /** A wish from outside. */
    abstract static class Command extends Arrivals.Link {

        abstract void decide();

        abstract void refuse(RuntimeException reason);
    }

    /** Something to do on the loop. */
    abstract static class Note extends Arrivals.Link {

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

    /** Takes room for a command, waiting for it; to be given back with {@link #free}. */
    void awaitRoom(int bytes) {
        room.acquireUninterruptibly(bytes);
    }

    boolean tryRoom(int bytes) {
        return room.tryAcquire(bytes);
    }

    void free(int bytes) {
        room.release(bytes);
    }

    /** Returns false when the inbox is closed. */
    boolean offer(Command command) {
        return commands.add(command);
    }

    void note(Runnable task) {
        note(new Task(task));
    }

    void note(Note note) {
        notes.add(note);
    }

    /** From now on no command is taken in. Those that are in can still be taken out. */
    void close() {
        commands.close();
    }

    /** The next command, in the order of the offers. */
    @Nullable
    Command next() {
        return commands.poll();
    }

    @Nullable
    Note nextNote() {
        return notes.poll();
    }
}
