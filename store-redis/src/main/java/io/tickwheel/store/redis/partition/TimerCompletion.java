package io.tickwheel.store.redis.partition;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Changed;
import io.tickwheel.store.CompleteCommand;
import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.layout.TimerRecord;
import java.nio.ByteBuffer;
import java.util.Set;

/** Completes a timer by an attempt whose claim was granted by another opening, or on another node. */
final class TimerCompletion extends ClientCommand<Changed> {

    /** The highest number of an attempt that a record has. */
    private static final int MOST_ATTEMPTS = 0xffff;

    private final CompleteCommand wish;
    private final long operation;
    private final byte[] past;

    /** @param operation by which a repeat of it is known */
    TimerCompletion(
            CompleteCommand wish,
            byte[] field,
            LoadedTimers timers,
            Durability level,
            long deadlineNanos,
            long operation,
            Answer<Changed> answer,
            Runnable ended) {
        super(wish.key(), field, timers, level, deadlineNanos, answer, ended);
        this.wish = wish;
        this.operation = operation;
        this.past = wish.ended().encodePieces(TimerRecord.PAST);
    }

    @Override
    boolean changesForAClient() {
        return true;
    }

    @Override
    void addSlices(Set<String> slices) {
        addKnown(slices);
    }

    @Override
    char letter() {
        return 'A';
    }

    @Override
    int length() {
        return 2 * Long.BYTES + expectedBytes(wish.id()) + Short.BYTES + past.length;
    }

    @Override
    void write(ByteBuffer out) {
        out.putLong(operation);
        putExpected(out, wish.id());
        out.putLong(wish.token());
        out.putShort((short) Math.min(wish.attempt(), MOST_ATTEMPTS));
        out.put(past);
    }

    @Override
    void answered(char letter, ByteBuffer rest) {
        if (letter == 'Y') {
            failOther(wish.id(), rest);
            return;
        }
        TimerRecord standing = TimerRecord.read(rest);
        switch (letter) {
            case 'C' -> {
                stands(standing, 0);
                give(new Changed(Changed.Outcome.CHANGED, view(standing)));
            }
            case 'W' -> give(new Changed(Changed.Outcome.WRONG_STATE, view(standing)));
            default -> throw new IllegalStateException("an acknowledgement was answered " + letter);
        }
    }
}
