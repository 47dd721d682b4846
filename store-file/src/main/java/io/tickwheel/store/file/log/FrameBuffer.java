package io.tickwheel.store.file.log;

import io.tickwheel.store.file.memory.OffHeap;
import java.nio.ByteBuffer;

/**
 * One frame in the making: room for its header, then records. Grows as needed, outside the heap: a single record may be as
 * large as a small heap. Used by one thread at a time: the loop fills it, hands it over, and gets it back.
 */
public final class FrameBuffer {

    private static final int FIRST_BYTES = 64 << 10;

    /** A buffer that one large record has blown up is not kept. */
    private static final int KEPT_BYTES = 16 << 20;

    private ByteBuffer bytes = OffHeap.allocate(FIRST_BYTES);
    private int count;

    public FrameBuffer() {
        clear();
    }

    /** Starts a record of that many bytes, which the caller then puts. */
    public ByteBuffer record(int length) {
        int needed = bytes.position() + Integer.BYTES + length + Frame.ALIGNMENT;
        if (needed > bytes.capacity()) {
            grow(needed);
        }
        count++;
        return bytes.putInt(length);
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Bytes so far, the header included. */
    int size() {
        return bytes.position();
    }

    int count() {
        return count;
    }

    /** Completes the frame; the buffer is then ready to be written to a file. */
    public ByteBuffer seal(int epoch, long lsn, long durableLsn, long identity) {
        return Frame.seal(bytes, epoch, lsn, durableLsn, count, identity);
    }

    void clear() {
        if (bytes.capacity() > KEPT_BYTES) {
            bytes = OffHeap.allocate(FIRST_BYTES);
        }
        bytes.clear().position(Frame.HEADER_BYTES);
        count = 0;
    }

    private void grow(int needed) {
        ByteBuffer larger =
                OffHeap.allocate((int) Math.max(needed, Math.min(2L * bytes.capacity(), Integer.MAX_VALUE)));
        larger.put(bytes.flip());
        bytes = larger;
    }
}
