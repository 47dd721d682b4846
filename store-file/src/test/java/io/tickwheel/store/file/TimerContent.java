package io.tickwheel.store.file;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Content that tells which schedule it came with, and whether any byte of it is wrong. */
final class TimerContent {

    static final int MIN_BYTES = Integer.BYTES;

    private TimerContent() {}

    static byte[] of(int number, int bytes) {
        byte[] content = new byte[Math.max(MIN_BYTES, bytes)];
        new SplittableRandom(number).nextBytes(content);
        ByteBuffer.wrap(content).putInt(number);
        return content;
    }

    /** Which schedule it came with; fails when it is not exactly what that brought. */
    static int number(byte[] content) {
        int number = ByteBuffer.wrap(content).getInt();
        if (!Arrays.equals(content, of(number, content.length))) {
            throw new AssertionError("content of schedule " + number + " has other bytes than were given");
        }
        return number;
    }
}
