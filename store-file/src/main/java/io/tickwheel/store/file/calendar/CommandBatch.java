package io.tickwheel.store.file.calendar;

import io.tickwheel.store.Answer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.file.table.QueueTable;
import io.tickwheel.store.file.timers.TimerTables;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Commands about one key each on their way to be decided, a few at a time, so that what is not in the processor's cache, or on the disk, is read of all of them together and the waits
 * overlap: the commands themselves, which other threads have written, the places of the {@code KeyIndex} that they need, and the timers in runs ({@link ColdReads}). Owned by the loop.
 */
final class CommandBatch {

    static final int SIZE = 32;

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

    /** Decides one command. */
    interface Decision {
        void decide(byte[] key, long hash);
    }

    /** Has a command decided, and answered if that fails. */
    interface Guard {
        void decide(Decision decision, byte[] key, long hash, Answer<?> answer);
    }

    /** Returns whether there is no room for more. */
    boolean add(ScheduleCommand command, Decision decision, Answer<?> answer) {
        schedules[size] = command;
        return add(decision, answer);
    }

    /** Returns whether there is no room for more. */
    boolean add(TimerKey name, Decision decision, Answer<?> answer) {
        names[size] = name;
        return add(decision, answer);
    }

    private boolean add(Decision decision, Answer<?> answer) {
        decisions[size] = decision;
        answers[size] = answer;
        size++;
        return size == SIZE;
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    /** Decides all, in the order in which they came. */
    void decide(TimerTables tables, ColdReads reads, Guard guard) {
        touchCommands();
        for (int i = 0; i < size; i++) {
            TimerKey name = names[i];
            keys[i] = name.key().getBytes(StandardCharsets.UTF_8);
            hashes[i] = tables.hash(queueBytes(tables, name.queue()), keys[i]);
        }
        for (int i = 0; i < size; i++) {
            tables.index.touch(hashes[i]);
        }
        reads.read(hashes, size);
        int count = size;
        size = 0;
        for (int i = 0; i < count; i++) {
            Decision decision = decisions[i];
            Answer<?> answer = answers[i];
            assert decision != null && answer != null;
            guard.decide(decision, keys[i], hashes[i], answer);
            decisions[i] = null;
            answers[i] = null;
        }
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
            schedules[i] = null;
        }
        touched += read;
    }

    /** Makes no queue known: the command may be refused. */
    private static byte[] queueBytes(TimerTables tables, String name) {
        QueueTable.Queue queue = tables.queues.find(name);
        return queue != null ? queue.utf8 : name.getBytes(StandardCharsets.UTF_8);
    }
}
