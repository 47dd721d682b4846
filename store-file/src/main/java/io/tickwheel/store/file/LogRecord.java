package io.tickwheel.store.file;

import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What can be said in the commit log and in a snapshot. Every record sets a state and does not depend on the one before, so
 * that replaying it over a later state and then everything that followed ends in the same place.
 *
 * <pre>
 *   length u32 of what follows | type u8 | ...                                     little endian
 *   1 SCHEDULE  state u8, id u64, version u64, due i64 ms, attempts u32, request hash u64,
 *               queue bytes u16, key bytes u16, content bytes u32, queue, key, content
 *   2 CANCEL    id u64
 *   3 RETRY     id u64, due i64 ms, attempts u32
 *   4 FINISH    id u64, state u8, attempts u32
 * </pre>
 */
sealed interface LogRecord {

    /** A timer as it stands; in the log just scheduled, in a snapshot in any state but claimed. */
    record Schedule(
            long id,
            TimerKey key,
            long version,
            long dueAtMs,
            int attempts,
            TimerState state,
            long requestHash,
            byte[] content)
            implements LogRecord {}

    record Cancel(long id) implements LogRecord {}

    record Retry(long id, long dueAtMs, int attempts) implements LogRecord {}

    record Finish(long id, TimerState state, int attempts) implements LogRecord {}

    byte SCHEDULE = 1;
    byte CANCEL = 2;
    byte RETRY = 3;
    byte FINISH = 4;

    int SCHEDULE_BYTES = 1 + 1 + 8 + 8 + 8 + 4 + 8 + 2 + 2 + 4;

    /** The states by their number in the file, which never changes; a claim is not written. */
    static byte number(TimerState state) {
        return switch (state) {
            case PENDING -> 0;
            case COMPLETED -> 1;
            case CANCELLED -> 2;
            case DEAD -> 3;
            case EXPIRED -> 4;
            case CLAIMED -> throw new IllegalArgumentException("a claim is not written");
        };
    }

    static TimerState state(byte number) {
        return switch (number) {
            case 0 -> TimerState.PENDING;
            case 1 -> TimerState.COMPLETED;
            case 2 -> TimerState.CANCELLED;
            case 3 -> TimerState.DEAD;
            case 4 -> TimerState.EXPIRED;
            default -> throw new IllegalArgumentException("timer state " + number + " is not known");
        };
    }

    default void write(FrameBuffer out) {
        if (this instanceof Schedule schedule) {
            byte[] queue = schedule.key.queue().getBytes(StandardCharsets.UTF_8);
            byte[] key = schedule.key.key().getBytes(StandardCharsets.UTF_8);
            int length = SCHEDULE_BYTES + queue.length + key.length + schedule.content.length;
            out.record(length)
                    .put(SCHEDULE)
                    .put(number(schedule.state))
                    .putLong(schedule.id)
                    .putLong(schedule.version)
                    .putLong(schedule.dueAtMs)
                    .putInt(schedule.attempts)
                    .putLong(schedule.requestHash)
                    .putShort((short) queue.length)
                    .putShort((short) key.length)
                    .putInt(schedule.content.length)
                    .put(queue)
                    .put(key)
                    .put(schedule.content);
        } else if (this instanceof Cancel cancel) {
            out.record(9).put(CANCEL).putLong(cancel.id);
        } else if (this instanceof Retry retry) {
            out.record(21).put(RETRY).putLong(retry.id).putLong(retry.dueAtMs).putInt(retry.attempts);
        } else if (this instanceof Finish finish) {
            out.record(14)
                    .put(FINISH)
                    .putLong(finish.id)
                    .put(number(finish.state))
                    .putInt(finish.attempts);
        }
    }

    /** Reads one record. The bytes are known to be whole, so anything odd is a fault of the writer. */
    static LogRecord read(ByteBuffer in) {
        int length = in.getInt();
        int end = in.position() + length;
        byte type = in.get();
        LogRecord record = switch (type) {
            case SCHEDULE -> readSchedule(in);
            case CANCEL -> new Cancel(in.getLong());
            case RETRY -> new Retry(in.getLong(), in.getLong(), in.getInt());
            case FINISH -> new Finish(in.getLong(), state(in.get()), in.getInt());
            default -> throw new IllegalArgumentException("record type " + type + " is not known");
        };
        if (in.position() != end) {
            throw new IllegalArgumentException(
                    "record of type " + type + " ends at " + in.position() + ", must end at " + end);
        }
        return record;
    }

    private static Schedule readSchedule(ByteBuffer in) {
        TimerState state = state(in.get());
        long id = in.getLong();
        long version = in.getLong();
        long dueAtMs = in.getLong();
        int attempts = in.getInt();
        long requestHash = in.getLong();
        int queueBytes = Short.toUnsignedInt(in.getShort());
        int keyBytes = Short.toUnsignedInt(in.getShort());
        byte[] content = new byte[in.getInt()];
        String queue = text(in, queueBytes);
        String key = text(in, keyBytes);
        in.get(content);
        return new Schedule(id, new TimerKey(queue, key), version, dueAtMs, attempts, state, requestHash, content);
    }

    private static String text(ByteBuffer in, int bytes) {
        byte[] utf8 = new byte[bytes];
        in.get(utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }
}
