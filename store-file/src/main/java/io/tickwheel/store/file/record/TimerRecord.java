package io.tickwheel.store.file.record;

import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Lane;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.TimerKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A live or dead timer as it is written: into the commit log when it is scheduled or retried, and into a run when it is still
 * there at a trim. Both hold the same bytes.
 *
 * <pre>
 *   0 type u8 = 3 | 1 flags u8 | 2 seq u64 | 10 attempt i64 ms: when the next attempt is due         little endian
 *   18 [ 1: replaces u64 ] [ 2: id u64 ] [ 4: version u64 ] [ 8: attempts u32 ] [ 16: request hash u64 ]
 *      queue bytes u16 | key bytes u16 | queue, key: UTF-8
 *      [ 64: bytes of the fields u16 | fields ] | content: the rest                                  flag 32: dead
 *
 *   field   tag u8 | bytes u8 | value          1 due i64 ms        2 route u32, or nothing when it is not known
 *                                              3 a {@code PastAttempt}, or right behind it its excerpt; for each, in the order of time
 * </pre>
 *
 * What is absent is: nothing replaced, the id is the seq, version 1, no attempts, hash 0, due when the attempt is, no attempt that is
 * remembered, and no route: the timer goes where its queue goes. A field with another tag is kept as it is. Records of type 1 were written before there were
 * fields: the same without them, and of a route that is not known.
 *
 * @param seq one higher with each record of this kind; names the record in all others
 * @param attemptAtMs when the next attempt is due
 * @param dueAtMs when the timer was to be delivered
 * @param replaces the seq that this record takes the place of, which is ended by it; 0 for none
 * @param id the number in the timer's public id: the seq of its first record
 * @param attempts how many attempts were started
 * @param dead whether it was given up, and is just kept
 * @param route as {@link Lane#route} says
 * @param history the attempts that are remembered
 * @param otherFields the fields that this version does not know, as they are written
 * @param content empty when it was read without
 */
public record TimerRecord(
        long seq,
        long attemptAtMs,
        long dueAtMs,
        long replaces,
        long id,
        long version,
        int attempts,
        long requestHash,
        boolean dead,
        long route,
        byte[] queue,
        byte[] key,
        History history,
        byte[] otherFields,
        byte[] content) {

    public static final byte TYPE = 3;

    /** Of a record without fields. */
    public static final byte OLD_TYPE = 1;

    /** Names are at most that long, so that their length fits its field. */
    public static final int MAX_NAME_BYTES = 0xffff;

    public static final byte[] NO_CONTENT = new byte[0];

    private static final int FIXED_BYTES = 1 + 1 + 8 + 8 + 2 + 2;
    private static final int SEQ_AT = 2;
    private static final int FIELDS_AT = 18;

    private static final int HAS_REPLACES = 1;
    private static final int HAS_ID = 2;
    private static final int HAS_VERSION = 4;
    private static final int HAS_ATTEMPTS = 8;
    private static final int HAS_HASH = 16;
    private static final int DEAD = 32;
    private static final int HAS_FIELDS = 64;
    private static final int KNOWN_FLAGS = 127;
    private static final int OLD_FLAGS = 63;

    public TimerRecord {
        assert Math.max(queue.length, key.length) <= MAX_NAME_BYTES : "a schedule command was not checked";
    }

    /** Of a new timer. */
    public static TimerRecord scheduled(
            long seq, long replaces, long version, ScheduleCommand command, byte[] queue, byte[] key) {
        return new TimerRecord(
                seq,
                command.dueAtMs(),
                command.dueAtMs(),
                replaces,
                seq,
                version,
                0,
                command.requestHash(),
                false,
                command.route(),
                queue,
                key,
                History.NONE,
                TimerFields.NONE,
                command.content());
    }

    /** The same timer, due as a rescheduling or a redrive says; to be asked of a record that was read with its content. */
    public TimerRecord changed(long newSeq, ChangeCommand command) {
        byte[] newContent = command.content();
        return new TimerRecord(
                newSeq,
                command.dueAtMs(),
                command.dueAtMs(),
                seq,
                id,
                version,
                command.change() == ChangeCommand.Change.REDRIVE ? 0 : attempts,
                requestHash,
                false,
                newContent == null ? route : command.route(),
                queue,
                key,
                history,
                otherFields,
                newContent == null ? content : newContent);
    }

    /** The same timer, which comes again with another content and as if it had not been tried. */
    public TimerRecord next(long newSeq, long newDueAtMs, byte[] newContent) {
        return new TimerRecord(
                newSeq,
                newDueAtMs,
                newDueAtMs,
                seq,
                id,
                version,
                0,
                requestHash,
                false,
                route,
                queue,
                key,
                history,
                otherFields,
                newContent);
    }

    /** The same record with one more attempt that is remembered, or none. */
    public TimerRecord remembering(History ended) {
        return ended.isEmpty()
                ? this
                : new TimerRecord(
                        seq,
                        attemptAtMs,
                        dueAtMs,
                        replaces,
                        id,
                        version,
                        attempts,
                        requestHash,
                        dead,
                        route,
                        queue,
                        key,
                        history.and(ended),
                        otherFields,
                        content);
    }

    /** The same timer, to be tried again, or given up. */
    public TimerRecord again(long newSeq, long newAttemptAtMs, int newAttempts, boolean isDead) {
        return again(newSeq, newAttemptAtMs, newAttempts, isDead, route);
    }

    /** The same without its content. */
    public TimerRecord withoutContent() {
        return new TimerRecord(
                seq,
                attemptAtMs,
                dueAtMs,
                replaces,
                id,
                version,
                attempts,
                requestHash,
                dead,
                route,
                queue,
                key,
                history,
                otherFields,
                NO_CONTENT);
    }

    /** The same timer with another route. */
    public TimerRecord rerouted(long newSeq, long newRoute) {
        return again(newSeq, attemptAtMs, attempts, dead, newRoute);
    }

    private TimerRecord again(long newSeq, long newAttemptAtMs, int newAttempts, boolean isDead, long newRoute) {
        return new TimerRecord(
                newSeq,
                newAttemptAtMs,
                dueAtMs,
                seq,
                id,
                version,
                newAttempts,
                requestHash,
                isDead,
                newRoute,
                queue,
                key,
                history,
                otherFields,
                content);
    }

    public Lane lane() {
        return new Lane(new String(queue, StandardCharsets.UTF_8), route);
    }

    public TimerKey timerKey() {
        return new TimerKey(new String(queue, StandardCharsets.UTF_8), new String(key, StandardCharsets.UTF_8));
    }

    public int length() {
        int fields = TimerFields.length(this);
        return FIXED_BYTES
                + fixedFieldBytes(flags())
                + queue.length
                + key.length
                + (fields == 0 ? 0 : Short.BYTES + fields)
                + content.length;
    }

    private int flags() {
        return (replaces == 0 ? 0 : HAS_REPLACES)
                | (id == seq ? 0 : HAS_ID)
                | (version == 1 ? 0 : HAS_VERSION)
                | (attempts == 0 ? 0 : HAS_ATTEMPTS)
                | (requestHash == 0 ? 0 : HAS_HASH)
                | (dead ? DEAD : 0)
                | (TimerFields.length(this) == 0 ? 0 : HAS_FIELDS);
    }

    private static int fixedFieldBytes(int flags) {
        return Long.BYTES * Integer.bitCount(flags & (HAS_REPLACES | HAS_ID | HAS_VERSION | HAS_HASH))
                + ((flags & HAS_ATTEMPTS) == 0 ? 0 : Integer.BYTES);
    }

    public void write(ByteBuffer out) {
        int flags = flags();
        out.put(TYPE).put((byte) flags).putLong(seq).putLong(attemptAtMs);
        if ((flags & HAS_REPLACES) != 0) {
            out.putLong(replaces);
        }
        if ((flags & HAS_ID) != 0) {
            out.putLong(id);
        }
        if ((flags & HAS_VERSION) != 0) {
            out.putLong(version);
        }
        if ((flags & HAS_ATTEMPTS) != 0) {
            out.putInt(attempts);
        }
        if ((flags & HAS_HASH) != 0) {
            out.putLong(requestHash);
        }
        out.putShort((short) queue.length).putShort((short) key.length);
        out.put(queue).put(key);
        if ((flags & HAS_FIELDS) != 0) {
            TimerFields.write(this, out);
        }
        out.put(content);
    }

    /** Whether bytes that begin so are meant to be such a record. */
    static boolean isType(byte type) {
        return type == TYPE || type == OLD_TYPE;
    }

    /**
     * Reads the record of {@code length} bytes at {@code offset}.
     *
     * @throws IllegalArgumentException when these bytes are no such record
     */
    public static TimerRecord read(ByteBuffer bytes, int offset, int length, boolean withContent) {
        int flags = checkedFlags(bytes, offset, length);
        int at = offset + FIELDS_AT;
        long seq = bytes.getLong(offset + SEQ_AT);
        if (seq < 1) {
            throw new IllegalArgumentException("seq " + seq + " is not positive");
        }
        long replaces = 0;
        if ((flags & HAS_REPLACES) != 0) {
            replaces = bytes.getLong(at);
            at += Long.BYTES;
        }
        long id = seq;
        if ((flags & HAS_ID) != 0) {
            id = bytes.getLong(at);
            at += Long.BYTES;
        }
        long version = 1;
        if ((flags & HAS_VERSION) != 0) {
            version = bytes.getLong(at);
            at += Long.BYTES;
        }
        int attempts = 0;
        if ((flags & HAS_ATTEMPTS) != 0) {
            attempts = bytes.getInt(at);
            at += Integer.BYTES;
        }
        long requestHash = 0;
        if ((flags & HAS_HASH) != 0) {
            requestHash = bytes.getLong(at);
            at += Long.BYTES;
        }
        byte[] queue = new byte[Short.toUnsignedInt(bytes.getShort(at))];
        byte[] key = new byte[Short.toUnsignedInt(bytes.getShort(at + 2))];
        at += 4;
        int end = offset + length;
        if (end - at < queue.length + key.length) {
            throw new IllegalArgumentException(
                    "names of " + queue.length + " and " + key.length + " bytes do not fit into a record of " + length);
        }
        bytes.get(at, queue).get(at + queue.length, key);
        at += queue.length + key.length;
        long attemptAtMs = bytes.getLong(offset + SEQ_AT + Long.BYTES);
        boolean dead = (flags & DEAD) != 0;
        TimerFields fields = new TimerFields(attemptAtMs, bytes.get(offset) == OLD_TYPE);
        if ((flags & HAS_FIELDS) != 0) {
            at = fields.read(bytes, at, end);
        }
        byte[] content = NO_CONTENT;
        if (withContent) {
            content = new byte[end - at];
            bytes.get(at, content);
        }
        return new TimerRecord(
                seq,
                attemptAtMs,
                fields.dueAtMs(),
                replaces,
                id,
                version,
                attempts,
                requestHash,
                dead,
                fields.route(),
                queue,
                key,
                fields.history(),
                fields.others(),
                content);
    }

    private static int checkedFlags(ByteBuffer bytes, int offset, int length) {
        if (length < FIXED_BYTES || !isType(bytes.get(offset))) {
            throw new IllegalArgumentException("no timer in " + length + " bytes");
        }
        int flags = Byte.toUnsignedInt(bytes.get(offset + 1));
        int known = bytes.get(offset) == OLD_TYPE ? OLD_FLAGS : KNOWN_FLAGS;
        if ((flags & ~known) != 0) {
            throw new IllegalArgumentException("unknown flags " + flags);
        }
        if (length < FIXED_BYTES + fixedFieldBytes(flags)) {
            throw new IllegalArgumentException(length + " bytes are too few for flags " + flags);
        }
        return flags;
    }

    /** Whether the record at {@code offset}, known to be sound, is of that key. */
    public static boolean isOf(ByteBuffer bytes, int offset, byte[] queue, byte[] key) {
        int at = offset + FIELDS_AT + fixedFieldBytes(Byte.toUnsignedInt(bytes.get(offset + 1)));
        return Short.toUnsignedInt(bytes.getShort(at)) == queue.length
                && Short.toUnsignedInt(bytes.getShort(at + 2)) == key.length
                && equal(bytes, at + 4, queue)
                && equal(bytes, at + 4 + queue.length, key);
    }

    static boolean equal(ByteBuffer bytes, int offset, byte[] other) {
        for (int i = 0; i < other.length; i++) {
            if (bytes.get(offset + i) != other[i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TimerRecord that && Arrays.equals(bytes(), that.bytes());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes());
    }

    private byte[] bytes() {
        ByteBuffer bytes = ByteBuffer.allocate(length());
        write(bytes);
        return bytes.array();
    }

    @Override
    public String toString() {
        return timerKey() + " seq " + seq + " id " + id + " version " + version + " due " + dueAtMs + " attempt at "
                + attemptAtMs + " attempts " + attempts + " route " + route + (dead ? " dead" : "");
    }
}
