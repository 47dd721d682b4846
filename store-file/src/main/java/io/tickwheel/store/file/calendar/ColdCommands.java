package io.tickwheel.store.file.calendar;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Commands that wait until timers have been read from the disk. Those of other keys overtake them: one that is about a key of which a command waits here waits behind it, so
 * those of one key are decided in the order of the calls. Owned by the loop.
 */
final class ColdCommands {

    /** So many commands may wait, about, and their contents may have so many bytes together. */
    private static final int MOST = 1_024;

    private static final long MOST_BYTES = 16 << 20;

    private final ColdReads reads;
    private final ArrayDeque<Group> groups = new ArrayDeque<>();

    /** How many commands wait that are about a key with this hash. */
    private final Map<Long, Integer> waiting = new HashMap<>();

    private int size;
    private long bytes;

    /** Gets commands until its timers are read; null when there is none. */
    private @Nullable Group gathering;

    ColdCommands(ColdReads reads) {
        this.reads = reads;
    }

    private record Command(long[] hashes, int bytes, Runnable decision) {}

    /** Commands that wait for the same timers, and for the groups before. */
    private static final class Group {

        private final ArrayDeque<Command> commands = new ArrayDeque<>();
        private final List<ColdReads.Timer> timers = new ArrayList<>();
        private ColdReads.@Nullable Reading reading;

        boolean isRead() {
            return reading != null && reading.hasEnded();
        }
    }

    /** Whether nobody waits. */
    boolean isEmpty() {
        return size == 0;
    }

    boolean hasRoom() {
        return size < MOST && bytes < MOST_BYTES;
    }

    /** Whether a command about this key waits. */
    boolean has(long hash) {
        return size > 0 && waiting.containsKey(hash);
    }

    /** Returns whether a command about a key must wait: for one before it, or for the disk, and what is to be read is taken note of then. */
    boolean mustWait(long hash) {
        if (has(hash)) {
            return true;
        }
        return reads.areSlow() && reads.addTimersTo(gathering().timers, hash);
    }

    /** Has a command wait; {@link #read} is to be called when there is no more of them. */
    void add(long hash, int contentBytes, Runnable decision) {
        add(new Command(new long[] {hash}, contentBytes, decision));
    }

    /** Has a command about several keys wait behind those that are about one of them; {@link #read} is to be called then. */
    void add(long[] hashes, Runnable decision) {
        add(new Command(hashes, 0, decision));
    }

    private void add(Command command) {
        gathering().commands.add(command);
        for (long hash : command.hashes) {
            waiting.merge(hash, 1, Integer::sum);
        }
        size++;
        bytes += command.bytes;
    }

    private Group gathering() {
        if (gathering == null) {
            gathering = new Group();
        }
        return gathering;
    }

    /** Has the timers read of those that were added. Where this takes no other thread, and nobody is before them, they are decided at once. */
    void read() {
        Group group = gathering;
        gathering = null;
        if (group == null || group.commands.isEmpty()) {
            return;
        }
        groups.addLast(group);
        group.reading = reads.read(group.timers);
        if (groups.getFirst() == group && group.isRead()) {
            work(group.commands.size(), () -> true);
        }
    }

    /**
     * Decides those whose timers have been read.
     *
     * @param limit how many at most
     * @param hasRoom whether one more may be decided
     * @return how many were
     */
    int work(int limit, BooleanSupplier hasRoom) {
        int done = 0;
        for (Group group = groups.peek(); group != null && group.isRead(); group = groups.peek()) {
            while (!group.commands.isEmpty()) {
                if (done == limit || !hasRoom.getAsBoolean()) {
                    return done;
                }
                decideNext(group);
                done++;
            }
            // A command that has failed the store has had all of them decided.
            if (groups.remove(group) && group.reading != null) {
                reads.ended(group.reading);
            }
        }
        return done;
    }

    /** Decides all, for whom the store has failed: each is told so. */
    void fail() {
        for (Group group = groups.poll(); group != null; group = groups.poll()) {
            while (!group.commands.isEmpty()) {
                decideNext(group);
            }
        }
    }

    private void decideNext(Group group) {
        Command command = group.commands.remove();
        for (long hash : command.hashes) {
            waiting.computeIfPresent(hash, (key, count) -> count == 1 ? null : count - 1);
        }
        size--;
        bytes -= command.bytes;
        command.decision.run();
    }
}
