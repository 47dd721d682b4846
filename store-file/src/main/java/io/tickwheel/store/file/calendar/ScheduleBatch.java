package io.tickwheel.store.file.calendar;

import io.tickwheel.store.Answer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.file.table.QueueTable;
import io.tickwheel.store.file.timers.TimerTables;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Schedule commands on their way to be decided, a few at a time, so that what is not in the processor's cache is read of all of them together and the waits overlap: the commands
 * themselves, which other threads have written, and the places of the {@code KeyIndex} that they need. Owned by the loop.
 */
final class ScheduleBatch {

    static final int SIZE = 32;

    private final @Nullable ScheduleCommand[] commands = new ScheduleCommand[SIZE];
    private final @Nullable Answer<?>[] answers = new Answer<?>[SIZE];
    private final TimerKey[] names = new TimerKey[SIZE];
    private final byte[][] keys = new byte[SIZE][];
    private final long[] hashes = new long[SIZE];
    private int size;

    /** Means nothing; keeps what is read ahead from being left out. */
    long touched;

    /** Decides one command. */
    interface Decision {
        void decide(ScheduleCommand command, byte[] key, long hash, Answer<Scheduled> answer);
    }

    /** Returns whether there is no room for more. */
    boolean add(ScheduleCommand command, Answer<Scheduled> answer) {
        commands[size] = command;
        answers[size] = answer;
        size++;
        return size == SIZE;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Decides all, in the order in which they came. */
    void decide(TimerTables tables, Decision decision) {
        touchCommands();
        for (int i = 0; i < size; i++) {
            TimerKey name = names[i];
            keys[i] = name.key().getBytes(StandardCharsets.UTF_8);
            hashes[i] = tables.hash(queueBytes(tables, name.queue()), keys[i]);
        }
        for (int i = 0; i < size; i++) {
            tables.index.touch(hashes[i]);
        }
        int count = size;
        size = 0;
        for (int i = 0; i < count; i++) {
            decision.decide(command(i), keys[i], hashes[i], answer(i));
            commands[i] = null;
            answers[i] = null;
        }
    }

    /** Reads of all commands what one step leads to before what the next one does: a chain of reads for each would be a chain of waits. */
    private void touchCommands() {
        long read = 0;
        for (int i = 0; i < size; i++) {
            ScheduleCommand command = command(i);
            names[i] = command.key();
            read += command.route();
        }
        for (int i = 0; i < size; i++) {
            read += names[i].key().length() + command(i).content().length;
        }
        touched += read;
    }

    /** Makes no queue known: the command may be refused. */
    private static byte[] queueBytes(TimerTables tables, String name) {
        QueueTable.Queue queue = tables.queues.find(name);
        return queue != null ? queue.utf8 : name.getBytes(StandardCharsets.UTF_8);
    }

    private ScheduleCommand command(int i) {
        ScheduleCommand command = commands[i];
        assert command != null;
        return command;
    }

    @SuppressWarnings("unchecked") // Only such answers are added.
    private Answer<Scheduled> answer(int i) {
        Answer<?> answer = answers[i];
        assert answer != null;
        return (Answer<Scheduled>) answer;
    }
}
