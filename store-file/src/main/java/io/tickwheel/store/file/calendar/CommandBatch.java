package io.tickwheel.store.file.calendar;

import io.tickwheel.store.Answer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.file.table.QueueTable;
import io.tickwheel.store.file.timers.TimerTables;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Commands about one key each on their way to be decided, a few at a time, so that what is not in the processor's cache, or on the disk, is read of all of them together and the waits
 * overlap: the commands themselves, which other threads have written, the places of the {@code KeyIndex} that they need, and the timers in runs ({@link ColdReads}). Owned by the loop.
 */
final class CommandBatch {

    static final int SIZE = 32;

    private final TimerTables tables;
    private final LongSupplier clock;
    private final ColdReads reads;
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

    boolean isEmpty() {
        return size == 0;
    }

    /** Decides all, in the order in which they came. */
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
        reads.read(hashes, size);
        int count = size;
        size = 0;
        for (int i = 0; i < count; i++) {
            Answer<?> answer = answers[i];
            assert answer != null;
            answers[i] = null;
            ScheduleCommand command = schedules[i];
            if (command != null) {
                schedules[i] = null;
                scheduling.decide(command, keys[i], hashes[i], scheduled(answer));
            } else {
                decideOther(i, answer);
            }
        }
    }

    private void decideOther(int i, Answer<?> answer) {
        Decision decision = decisions[i];
        assert decision != null;
        decisions[i] = null;
        byte[] key = keys[i];
        long hash = hashes[i];
        guard.run(answer, () -> decision.decide(key, hash));
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
