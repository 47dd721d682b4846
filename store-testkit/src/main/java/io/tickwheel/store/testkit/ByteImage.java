package io.tickwheel.store.testkit;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The bytes of a file: a growable array that reads as zeros where nothing was written. A write costs its own length,
 * amortized. Every byte at or beyond {@link #size()} is zero, so growing needs no clearing.
 */
final class ByteImage {
    private static final byte[] EMPTY = {};

    private byte[] bytes = EMPTY;
    private int size;

    int size() {
        return size;
    }

    void write(int offset, byte[] source, int from, int length) {
        extend(offset + length);
        System.arraycopy(source, from, bytes, offset, length);
    }

    int read(int offset, ByteBuffer target) {
        int length = Math.min(target.remaining(), size - offset);
        target.put(bytes, offset, length);
        return length;
    }

    /** Grows to at least {@code newSize}; what is new reads as zeros. */
    void extend(int newSize) {
        if (newSize > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(newSize, (int) Math.min(2L * bytes.length, Integer.MAX_VALUE - 8)));
        }
        size = Math.max(size, newSize);
    }

    /** Shrinks to at most {@code newSize}. */
    void truncate(int newSize) {
        if (newSize < size) {
            Arrays.fill(bytes, newSize, size, (byte) 0);
            size = newSize;
        }
    }

    void set(ByteImage other) {
        set(other.bytes, other.size);
    }

    void set(byte[] content, int length) {
        if (bytes.length < length) {
            bytes = new byte[length];
        } else if (length < size) {
            Arrays.fill(bytes, length, size, (byte) 0);
        }
        System.arraycopy(content, 0, bytes, 0, length);
        size = length;
    }

    byte[] toByteArray() {
        return Arrays.copyOf(bytes, size);
    }
}
