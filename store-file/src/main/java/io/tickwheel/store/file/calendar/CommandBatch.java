package io.tickwheel.store.file.calendar;

import io.tickwheel.store.Answer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.file.table.QueueTable;
import io.tickwheel.store.file.timers.TimerTables;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Commands about one key each on their way to be decided, a few at a time, so that what is not in the processor's cache, or on the disk, is read of all of them together and the waits
 * overlap: the commands themselves, which other threads have written, and the places of the {@code KeyIndex} that they need. Those that would have the loop wait for the disk are
 * decided later ({@link ColdCommands}). Owned by the loop.
 */
final class CommandBatch {

    static final int SIZE = 32;

    private final TimerTables tables;
    private final LongSupplier clock;
    private final ColdReads reads;
    private final ColdCommands cold;
    private final Scheduling scheduling;
    private final Guard guard;

    /** The commands that schedule; null for others, whose names are known. */
    private final @Nullable ScheduleCommand[] schedules = new ScheduleCommand[SIZE];

    private final TimerKey[] names = new TimerKey[SIZE];
    private final @Nullable Decision[] decisions = new Decision[SIZE];
    private final @Nullable Answer<?>[] answers = new Answer<?>[SIZE];
    private final byte[][] keys = new byte[SIZE][];
    private final long[] hashes = new long[SIZE];
    private int size;

    /** Means nothing; keeps what is read ahead from being left out. */
    long touched;

    /** Decides a command that schedules, and answers it if that fails. They are the most, and have no object of their own here. */
    interface Scheduling {
        void decide(ScheduleCommand command, byte[] key, long hash, Answer<Scheduled> answer);
    }

    /** Decides one of the other commands. */
    interface Decision {
        void decide(byte[] key, long hash);
    }

    /** Runs a command, and answers it if that fails. */
    interface Guard {
        void run(Answer<?> answer, Runnable command);
    }

    CommandBatch(TimerTables tables, StoreContext context, Scheduling scheduling, Guard guard) {
        this.tables = tables;
        this.clock = context.monoNanos();
        this.reads = new ColdReads(tables, context);
        this.cold = new ColdCommands(reads);
        this.scheduling = scheduling;
        this.guard = guard;
    }

    /** Returns whether there is no room for more. */
    boolean add(ScheduleCommand command, Answer<Scheduled> answer) {
        schedules[size] = command;
        return add(answer);
    }

    /** Returns whether there is no room for more. */
    boolean add(TimerKey name, Decision decision, Answer<?> answer) {
        names[size] = name;
        decisions[size] = decision;
        return add(answer);
    }

    private boolean add(Answer<?> answer) {
        answers[size] = answer;
        size++;
        return size == SIZE;
    }

    /** Whether none waits to be decided. */
    boolean isEmpty() {
        return size == 0 && cold.isEmpty();
    }

    boolean hasRoom() {
        return cold.hasRoom();
    }

    /** Decides those that have waited for the disk, and need not any more; returns how many, at most {@code limit}. */
    int work(int limit, BooleanSupplier hasRoom) {
        return cold.work(limit, hasRoom);
    }

    /** Decides those that wait for the disk, for whom the store has failed. */
    void fail() {
        cold.fail();
    }

    /** Decides a command about several keys, at once or behind those about any of them that wait for the disk. */
    void decideBehind(List<TimerKey> keys, Runnable decision) {
        long[] behind = cold.isEmpty()
                ? new long[0]
                : keys.stream().mapToLong(tables::hash).toArray();
        if (Arrays.stream(behind).anyMatch(cold::has)) {
            cold.add(behind, decision);
            cold.read();
        } else {
            decision.run();
        }
    }

    /** Decides those that have come, in their order, or has them wait for the disk. */
    void decide() {
        if (size > 0) {
            long start = clock.getAsLong();
            int count = size;
            decideAll();
            reads.decided(count, clock.getAsLong() - start);
        }
    }

    private void decideAll() {
        touchCommands();
        for (int i = 0; i < size; i++) {
            TimerKey name = names[i];
            keys[i] = name.key().getBytes(StandardCharsets.UTF_8);
            hashes[i] = tables.hash(queueBytes(name.queue()), keys[i]);
        }
        for (int i = 0; i < size; i++) {
            tables.index.touch(hashes[i]);
        }
        int count = size;
        size = 0;
        for (int i = 0; i < count; i++) {
            if (cold.mustWait(hashes[i])) {
                setAside(i);
            } else {
                decide(i);
            }
        }
        cold.read();
    }

    private void decide(int i) {
        Answer<?> answer = answers[i];
        assert answer != null;
        answers[i] = null;
        ScheduleCommand command = schedules[i];
        if (command != null) {
            schedules[i] = null;
            scheduling.decide(command, keys[i], hashes[i], scheduled(answer));
        } else {
            Decision decision = decisions[i];
            assert decision != null;
            decisions[i] = null;
            decide(decision, keys[i], hashes[i], answer);
        }
    }

    private void decide(Decision decision, byte[] key, long hash, Answer<?> answer) {
        guard.run(answer, () -> decision.decide(key, hash));
    }

    private void setAside(int i) {
        byte[] key = keys[i];
        long hash = hashes[i];
        Answer<?> answer = answers[i];
        assert answer != null;
        answers[i] = null;
        ScheduleCommand command = schedules[i];
        if (command != null) {
            schedules[i] = null;
            cold.add(hash, command.content().length, () -> scheduling.decide(command, key, hash, scheduled(answer)));
        } else {
            Decision decision = decisions[i];
            assert decision != null;
            decisions[i] = null;
            cold.add(hash, 0, () -> decide(decision, key, hash, answer));
        }
    }

    @SuppressWarnings("unchecked") // Commands that schedule are added with no other.
    private static Answer<Scheduled> scheduled(Answer<?> answer) {
        return (Answer<Scheduled>) answer;
    }

    /** Reads of all commands what one step leads to before what the next one does: a chain of reads for each would be a chain of waits. */
    private void touchCommands() {
        long read = 0;
        for (int i = 0; i < size; i++) {
            ScheduleCommand command = schedules[i];
            if (command != null) {
                names[i] = command.key();
                read += command.route();
            }
        }
        for (int i = 0; i < size; i++) {
            ScheduleCommand command = schedules[i];
            read += names[i].key().length() + (command == null ? 0 : command.content().length);
        }
        touched += read;
    }

    /** Makes no queue known: the command may be refused. */
    private byte[] queueBytes(String name) {
        QueueTable.Queue queue = tables.queues.find(name);
        return queue != null ? queue.utf8 : name.getBytes(StandardCharsets.UTF_8);
    }
}
