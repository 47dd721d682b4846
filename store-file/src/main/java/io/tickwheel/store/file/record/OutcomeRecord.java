package io.tickwheel.store.file.record;

import java.nio.ByteBuffer;

/**
 * What became of the last attempt of a timer that was cancelled while it ran, in the commit log. The {@link EndRecord} of the cancel stands
 * somewhere before it; the timer itself may be gone from all tables by then, so it is told as it is remembered.
 *
 * <pre>
 *   0 type u8 = 4 | 1 {@link FinishedRecord}
 * </pre>
 */
public record OutcomeRecord(FinishedRecord timer) {

    public static final byte TYPE = 4;

    public int length() {
        return 1 + timer.length();
    }

    /** Writes it at the position of {@code out}, and moves that behind it. */
    public void write(ByteBuffer out) {
        int at = out.position();
        out.put(at, TYPE);
        timer.write(out, at + 1);
        out.position(at + length());
    }

    /**
     * Reads the record of {@code length} bytes at {@code offset}.
     *
     * @throws IllegalArgumentException when these bytes are no such record
     */
    public static OutcomeRecord read(ByteBuffer bytes, int offset, int length) {
        if (length <= FinishedRecord.FIXED_BYTES
                || bytes.get(offset) != TYPE
                || length <= FinishedRecord.headBytes(bytes, offset + 1)
                || length != 1 + FinishedRecord.length(bytes, offset + 1)) {
            throw new IllegalArgumentException("no outcome of a timer in " + length + " bytes");
        }
        FinishedRecord timer = FinishedRecord.read(bytes, offset + 1);
        if (timer.id() < 1) {
            throw new IllegalArgumentException("id " + timer.id() + " is not positive");
        }
        return new OutcomeRecord(timer);
    }
}
