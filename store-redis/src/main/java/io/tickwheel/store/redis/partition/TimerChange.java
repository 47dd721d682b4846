package io.tickwheel.store.redis.partition;

import io.tickwheel.store.Answer;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.ChangeCommand.Change;
import io.tickwheel.store.Changed;
import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Member;
import io.tickwheel.store.redis.layout.TimerRecord;
import java.nio.ByteBuffer;
import java.util.Set;

/** Reschedules a pending timer, or redrives or purges a dead one. */
final class TimerChange extends ClientCommand<Changed> {

    /** Says that an expected time of the attempt follows the expected seq. */
    private static final int EXPECTED_TIME = 4;

    private final ChangeCommand wish;
    private final boolean far;
    private final long operation;

    /**
     * @param far whether it lies far ahead from then on, so that its slice is a wide one
     * @param operation by which a repeat of it is known
     */
    TimerChange(
            ChangeCommand wish,
            byte[] field,
            LoadedTimers timers,
            Durability level,
            long deadlineNanos,
            boolean far,
            long operation,
            Answer<Changed> answer,
            Runnable ended) {
        super(wish.key(), field, timers, level, deadlineNanos, answer, ended);
        this.wish = wish;
        this.far = far;
        this.operation = operation;
    }

    @Override
    boolean changesForAClient() {
        return true;
    }

    /** What is pending afterwards may take more than before; a purge frees some. */
    @Override
    boolean takesMemory() {
        return wish.change() != Change.PURGE;
    }

    @Override
    void addSlices(Set<String> slices) {
        if (wish.change() != Change.PURGE) {
            slices.add(Layout.slice(far, wish.dueAtMs()));
        }
        if (wish.change() == Change.RESCHEDULE) {
            addKnown(slices);
        }
    }

    @Override
    char letter() {
        return 'E';
    }

    @Override
    int length() {
        byte[] content = wish.content();
        int contentBytes = content == null ? 0 : Member.prefix(wish.route()).length + content.length;
        int timeBytes = wish.expectedAttemptAtMs() == null ? 0 : Long.BYTES;
        return 2 * Long.BYTES + 3 + expectedBytes(wish.expectedId()) + timeBytes + contentBytes;
    }

    @Override
    void write(ByteBuffer out) {
        byte[] content = wish.content();
        out.putLong(operation);
        out.put(number(wish.change()));
        Long expectedAttemptAtMs = wish.expectedAttemptAtMs();
        byte parts = parts(content != null, wish.expectedId());
        out.put(expectedAttemptAtMs == null ? parts : (byte) (parts + EXPECTED_TIME));
        out.put((byte) (far ? 1 : 0));
        out.putLong(wish.dueAtMs());
        putExpected(out, wish.expectedId());
        if (expectedAttemptAtMs != null) {
            out.putLong(expectedAttemptAtMs);
        }
        if (content != null) {
            out.put(Member.prefix(wish.route())).put(content);
        }
    }

    private static byte number(Change change) {
        return (byte)
                switch (change) {
                    case RESCHEDULE -> 0;
                    case REDRIVE -> 1;
                    case PURGE -> 2;
                };
    }

    @Override
    void answered(char letter, ByteBuffer rest) {
        switch (letter) {
            case 'O' -> failFull();
            case 'Y' -> failOther(wish.expectedId(), rest);
            case 'N' -> give(new Changed(Changed.Outcome.NOT_FOUND, null));
            case 'W' -> give(new Changed(Changed.Outcome.WRONG_STATE, view(TimerRecord.read(rest))));
            case 'C' -> {
                int contentBytes = rest.getInt();
                TimerRecord standing = TimerRecord.read(rest);
                stands(standing, contentBytes);
                give(new Changed(Changed.Outcome.CHANGED, view(standing)));
            }
            default -> throw new IllegalStateException("a change was answered " + letter);
        }
    }
}
