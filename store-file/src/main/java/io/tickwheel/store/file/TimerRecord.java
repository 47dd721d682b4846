package io.tickwheel.store.file;

import io.tickwheel.store.TimerKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A live or dead timer as it is written: into the commit log when it is scheduled or retried, and into a run when it is still
 * there at a trim. Both hold the same bytes.
 *
 * <pre>
 *   0 type u8 = 1 | 1 flags u8 | 2 seq u64 | 10 due i64 ms                                        little endian
 *   18 [ 1: replaces u64 ] [ 2: id u64 ] [ 4: version u64 ] [ 8: attempts u32 ] [ 16: request hash u64 ]
 *      queue bytes u16 | key bytes u16 | queue, key: UTF-8 | content: the rest            flag 32: dead
 * </pre>
 *
 * What is absent is: nothing replaced, the id is the seq, version 1, no attempts, hash 0.
 *
 * @param seq one higher with each record of this kind; names the record in all others
 * @param replaces the seq that this record takes the place of, which is ended by it; 0 for none
 * @param id the number in the timer's public id: the seq of its first record
 * @param attempts how many attempts were started
 * @param dead whether it was given up, and is just kept
 * @param content empty when it was read without
 */
record TimerRecord(
        long seq,
        long dueAtMs,
        long replaces,
        long id,
        long version,
        int attempts,
        long requestHash,
        boolean dead,
        byte[] queue,
        byte[] key,
        byte[] content) {

    static final byte TYPE = 1;

    /** Names are at most that long, so that their length fits its field. */
    static final int MAX_NAME_BYTES = 0xffff;

    static final byte[] NO_CONTENT = new byte[0];

    private static final int FIXED_BYTES = 1 + 1 + 8 + 8 + 2 + 2;
    private static final int SEQ_AT = 2;
    private static final int FIELDS_AT = 18;

    private static final int HAS_REPLACES = 1;
    private static final int HAS_ID = 2;
    private static final int HAS_VERSION = 4;
    private static final int HAS_ATTEMPTS = 8;
    private static final int HAS_HASH = 16;
    private static final int DEAD = 32;
    private static final int KNOWN_FLAGS = 63;

    TimerRecord {
        assert Math.max(queue.length, key.length) <= MAX_NAME_BYTES : "checkName was not asked";
    }

    /** @throws IllegalArgumentException when the name is too long for a record */
    static void checkName(String name) {
        // A char takes three bytes at most, so that few names have to be encoded for this.
        if (name.length() > MAX_NAME_BYTES / 3) {
            int bytes = name.getBytes(StandardCharsets.UTF_8).length;
            if (bytes > MAX_NAME_BYTES) {
                throw new IllegalArgumentException(
                        "a name has " + bytes + " bytes in UTF-8, must have at most " + MAX_NAME_BYTES);
            }
        }
    }

    /** The same timer, to be tried again, or given up. */
    TimerRecord again(long newSeq, long newDueAtMs, int newAttempts, boolean isDead) {
        return new TimerRecord(
                newSeq, newDueAtMs, seq, id, version, newAttempts, requestHash, isDead, queue, key, content);
    }

    TimerKey timerKey() {
        return new TimerKey(new String(queue, StandardCharsets.UTF_8), new String(key, StandardCharsets.UTF_8));
    }

    int length() {
        return FIXED_BYTES + fieldBytes(flags()) + queue.length + key.length + content.length;
    }

    private int flags() {
        return (replaces == 0 ? 0 : HAS_REPLACES)
                | (id == seq ? 0 : HAS_ID)
                | (version == 1 ? 0 : HAS_VERSION)
                | (attempts == 0 ? 0 : HAS_ATTEMPTS)
                | (requestHash == 0 ? 0 : HAS_HASH)
                | (dead ? DEAD : 0);
    }

    private static int fieldBytes(int flags) {
        return Long.BYTES * Integer.bitCount(flags & (HAS_REPLACES | HAS_ID | HAS_VERSION | HAS_HASH))
                + ((flags & HAS_ATTEMPTS) == 0 ? 0 : Integer.BYTES);
    }

    void write(ByteBuffer out) {
        int flags = flags();
        out.put(TYPE).put((byte) flags).putLong(seq).putLong(dueAtMs);
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
        out.put(queue).put(key).put(content);
    }

    /**
     * Reads the record of {@code length} bytes at {@code offset}.
     *
     * @throws IllegalArgumentException when these bytes are no such record
     */
    static TimerRecord read(ByteBuffer bytes, int offset, int length, boolean withContent) {
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
        int queueAt = at + 4;
        int contentAt = queueAt + queue.length + key.length;
        int contentBytes = offset + length - contentAt;
        if (contentBytes < 0) {
            throw new IllegalArgumentException(
                    "names of " + queue.length + " and " + key.length + " bytes do not fit into a record of " + length);
        }
        bytes.get(queueAt, queue).get(queueAt + queue.length, key);
        byte[] content = NO_CONTENT;
        if (withContent) {
            content = new byte[contentBytes];
            bytes.get(contentAt, content);
        }
        long dueAtMs = bytes.getLong(offset + SEQ_AT + Long.BYTES);
        boolean dead = (flags & DEAD) != 0;
        return new TimerRecord(seq, dueAtMs, replaces, id, version, attempts, requestHash, dead, queue, key, content);
    }

    private static int checkedFlags(ByteBuffer bytes, int offset, int length) {
        if (length < FIXED_BYTES || bytes.get(offset) != TYPE) {
            throw new IllegalArgumentException("no timer in " + length + " bytes");
        }
        int flags = Byte.toUnsignedInt(bytes.get(offset + 1));
        if ((flags & ~KNOWN_FLAGS) != 0) {
            throw new IllegalArgumentException("unknown flags " + flags);
        }
        if (length < FIXED_BYTES + fieldBytes(flags)) {
            throw new IllegalArgumentException(length + " bytes are too few for flags " + flags);
        }
        return flags;
    }

    /** Whether the record at {@code offset}, known to be sound, is of that key. */
    static boolean isOf(ByteBuffer bytes, int offset, byte[] queue, byte[] key) {
        int at = offset + FIELDS_AT + fieldBytes(Byte.toUnsignedInt(bytes.get(offset + 1)));
        return Short.toUnsignedInt(bytes.getShort(at)) == queue.length
                && Short.toUnsignedInt(bytes.getShort(at + 2)) == key.length
                && equal(bytes, at + 4, queue)
                && equal(bytes, at + 4 + queue.length, key);
    }

    private static boolean equal(ByteBuffer bytes, int offset, byte[] other) {
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
        return timerKey() + " seq " + seq + " id " + id + " version " + version + " due " + dueAtMs + " attempts "
                + attempts + (dead ? " dead" : "");
    }
}
