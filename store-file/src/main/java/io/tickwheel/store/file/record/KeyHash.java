package io.tickwheel.store.file.record;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The 64-bit hash of a key, from the bytes of both of its names and the identity of the store, which is random: who chooses
 * keys cannot make them collide. Multiply and fold, eight bytes at a time (the construction of wyhash).
 */
public final class KeyHash {

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final long K0 = 0xa0761d6478bd642fL;
    private static final long K1 = 0xe7037ed1a0b428dbL;
    private static final long K2 = 0x8ebc6af09c88c6e3L;

    private final long seed;

    public KeyHash(long storeId) {
        this.seed = fold(storeId ^ K0, K1);
    }

    public long of(byte[] queue, byte[] key) {
        return add(add(seed, queue), key);
    }

    private static long add(long hash, byte[] bytes) {
        long state = hash ^ bytes.length;
        int at = 0;
        for (; at + Long.BYTES <= bytes.length; at += Long.BYTES) {
            state = fold(state ^ (long) LONG.get(bytes, at), K1);
        }
        long rest = 0;
        for (; at < bytes.length; at++) {
            rest = (rest << Byte.SIZE) | Byte.toUnsignedLong(bytes[at]);
        }
        return fold(state ^ rest, K2);
    }

    private static long fold(long a, long b) {
        return a * b ^ Math.multiplyHigh(a, b);
    }
}
