package io.tickwheel.store.file.record;

import io.tickwheel.store.Lane;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** The optional fields of a {@link TimerRecord}, as that draws them: how they are written, and what was read of them. */
final class TimerFields {

    static final byte[] NONE = new byte[0];

    private static final int DUE = 1;
    private static final int ROUTE = 2;
    private static final int ATTEMPT = 3;
    private static final int HEAD_BYTES = 2;

    private long dueAtMs;
    private long route;
    private History history = History.NONE;
    private byte[] others = NONE;

    /** Of a record without any. */
    TimerFields(long attemptAtMs, boolean isOld) {
        dueAtMs = attemptAtMs;
        route = isOld ? Lane.UNKNOWN_ROUTE : Lane.QUEUE_ROUTE;
    }

    long dueAtMs() {
        return dueAtMs;
    }

    long route() {
        return route;
    }

    History history() {
        return history;
    }

    /** Those that this version does not know, as they are written. */
    byte[] others() {
        return others;
    }

    /** How many bytes the fields of a record take. */
    static int length(TimerRecord record) {
        return (record.dueAtMs() == record.attemptAtMs() ? 0 : HEAD_BYTES + Long.BYTES)
                + routeBytes(record.route())
                + record.history().taggedLength()
                + record.otherFields().length;
    }

    private static int routeBytes(long route) {
        if (route == Lane.QUEUE_ROUTE) {
            return 0;
        }
        return route == Lane.UNKNOWN_ROUTE ? HEAD_BYTES : HEAD_BYTES + Integer.BYTES;
    }

    /** Writes the fields of a record, and before them how long they are. */
    static void write(TimerRecord record, ByteBuffer out) {
        out.putShort((short) length(record));
        if (record.dueAtMs() != record.attemptAtMs()) {
            out.put((byte) DUE).put((byte) Long.BYTES).putLong(record.dueAtMs());
        }
        if (record.route() == Lane.UNKNOWN_ROUTE) {
            out.put((byte) ROUTE).put((byte) 0);
        } else if (record.route() != Lane.QUEUE_ROUTE) {
            out.put((byte) ROUTE).put((byte) Integer.BYTES).putInt((int) record.route());
        }
        record.history().writeTagged(out, (byte) ATTEMPT);
        out.put(record.otherFields());
    }

    /**
     * Reads the fields that begin at {@code from}; returns where they end.
     *
     * @throws IllegalArgumentException when these bytes are no fields
     */
    int read(ByteBuffer bytes, int from, int recordEnd) {
        int at = from + Short.BYTES;
        int end = at > recordEnd ? at : at + Short.toUnsignedInt(bytes.getShort(from));
        if (end > recordEnd) {
            throw new IllegalArgumentException("fields up to " + end + " in a record up to " + recordEnd);
        }
        while (at < end) {
            int valueAt = at + HEAD_BYTES;
            int length = valueAt > end ? 0 : Byte.toUnsignedInt(bytes.get(at + 1));
            if (valueAt + length > end) {
                throw new IllegalArgumentException("a field up to " + (valueAt + length) + " of fields up to " + end);
            }
            take(bytes, at, Byte.toUnsignedInt(bytes.get(at)), length);
            at = valueAt + length;
        }
        return end;
    }

    private void take(ByteBuffer bytes, int at, int tag, int length) {
        int valueAt = at + HEAD_BYTES;
        if (tag == DUE && length == Long.BYTES) {
            dueAtMs = bytes.getLong(valueAt);
        } else if (tag == ROUTE && length == Integer.BYTES) {
            route = Integer.toUnsignedLong(bytes.getInt(valueAt));
        } else if (tag == ROUTE && length == 0) {
            route = Lane.UNKNOWN_ROUTE;
        } else if (tag == ATTEMPT && length > 0) {
            history = history.and(bytes, valueAt, length);
        } else if (tag == DUE || tag == ROUTE || tag == ATTEMPT) {
            throw new IllegalArgumentException("field " + tag + " has " + length + " bytes");
        } else {
            int before = others.length;
            others = Arrays.copyOf(others, before + HEAD_BYTES + length);
            bytes.get(at, others, before, HEAD_BYTES + length);
        }
    }
}
