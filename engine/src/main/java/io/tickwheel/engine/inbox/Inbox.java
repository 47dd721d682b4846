package io.tickwheel.engine.inbox;

import io.tickwheel.engine.Threads;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.StoreFailedException;
import java.util.ArrayDeque;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * What other threads want of the loop, and what wakes it. Commands come from outside and are bounded by the bytes that wait for an
 * answer; notes, which end what the loop itself began, are bounded by its credits and always taken. Any thread offers, the loop takes.
 * Each of the two waits in an {@link MpscQueue}.
 */
public final class Inbox {

    /** How many bytes of commands may wait for their answers: 64 MiB, or an eighth of a smaller heap. */
    static final int MAX_BYTES =
            (int) Math.min(64 << 20, Math.max(1 << 20, Runtime.getRuntime().maxMemory() / 8));

    private final Room room = new Room();
    private final MpscQueue<Command> commands = new MpscQueue<>();
    private final MpscQueue<Note> notes = new MpscQueue<>();
    private volatile Threads.@Nullable Running loop;

    /** Owned by the loop: commands that it has taken, and that it is to decide once more. */
    private final ArrayDeque<Command> again = new ArrayDeque<>();

    /** Owned by the loop: the bytes of commands that were answered in this turn. */
    private int answeredBytes;

    /** Room that can be overdrawn. */
    private static final class Room extends Semaphore {

        private static final long serialVersionUID = 1;

        Room() {
            super(MAX_BYTES);
        }

        void overdraw(int bytes) {
            reducePermits(bytes);
        }
    }

    /** A wish from outside. */
    public abstract static class Command extends MpscQueue.Link {

        public abstract void decide();

        public abstract void refuse(RuntimeException reason);
    }

    /** Something to do on the loop. */
    public abstract static class Note extends MpscQueue.Link {

        public abstract void take();
    }

    private static final class Task extends Note {

        private final Runnable task;

        Task(Runnable task) {
            this.task = task;
        }

        @Override
        public void take() {
            task.run();
        }
    }

    // ---- any thread may call this

    /** Takes room for a command, waiting for it; to be given back with {@link #free} or {@link #answered}. */
    void awaitRoom(int bytes) {
        room.acquireUninterruptibly(bytes);
    }

    /** As {@link #awaitRoom}, of one who must not wait: takes what is there, and what is not. */
    void overdrawRoom(int bytes) {
        room.overdraw(bytes);
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

    public void note(Runnable task) {
        note(new Task(task));
    }

    /** Leaves a note for the loop and wakes it. */
    public void note(Note note) {
        notes.add(note);
        wake();
    }

    public void wake() {
        Threads.Running started = loop;
        if (started != null) {
            started.wake();
        }
    }

    /** Lets no command in from now on. Those that are in can still be taken out. */
    public void close() {
        commands.close();
    }

    /** Learns which loop to wake; to be called once, by whoever has started it. */
    public void start(Threads.Running started) {
        loop = started;
        // Who woke the loop before it was known here woke nobody.
        wake();
    }

    // ---- only the loop calls this

    /** The next command: those that are to be decided once more, then the others in the order of the offers. */
    public @Nullable Command next() {
        Command taken = again.poll();
        return taken != null ? taken : commands.poll();
    }

    /** Decides so many commands at most, as far as the calendar has room for them; returns how many that were. */
    public int takeCommands(int most, Calendar calendar) {
        int done = 0;
        while (done < most && calendar.hasRoom()) {
            Command command = next();
            if (command == null) {
                break;
            }
            try {
                command.decide();
            } catch (RuntimeException | Error e) {
                command.refuse(new StoreFailedException("the engine stopped: " + e, true, e));
                throw e;
            }
            done++;
        }
        return done;
    }

    /** Takes so many notes at most; returns how many that were. */
    public int takeNotes(int most) {
        int done = 0;
        for (Note note = nextNote(); note != null; note = nextNote()) {
            note.take();
            done++;
            if (done == most) {
                break;
            }
        }
        return done;
    }

    /** Leaves a command that was taken before, ahead of those that were offered. */
    void again(Command command) {
        again.add(command);
    }

    public @Nullable Note nextNote() {
        return notes.poll();
    }

    /** Notes that a command of so many bytes has its answer: its room is free once the turn is over. */
    void answered(int bytes) {
        answeredBytes += bytes;
    }

    /** Frees the room of the commands that were answered in this turn. */
    public void freeAnswered() {
        free(answeredBytes);
        answeredBytes = 0;
    }
}
