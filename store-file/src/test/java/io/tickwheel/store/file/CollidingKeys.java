package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.file.record.KeyHash;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Keys that have the hash of another one: whoever knows the identity of a store can make them. Of a key of 16 bytes the second half is
 * chosen so that it leads {@link KeyHash} to the state to which the others lead it.
 */
final class CollidingKeys {

    private static final long K0 = 0xa0761d6478bd642fL;
    private static final long K1 = 0xe7037ed1a0b428dbL;
    private static final long K2 = 0x8ebc6af09c88c6e3L;
    private static final int BYTES = 16;

    private CollidingKeys() {}

    /** The names of so many keys, each behind that of its queue, of which all of a queue have one hash. */
    static List<String> names(long storeId, int count) {
        SplittableRandom random = new SplittableRandom(storeId);
        Map<String, Long> hashes = new HashMap<>();
        List<String> names = new ArrayList<>();
        for (int key = 0; key < count; key++) {
            String queue = Workload.queue(key);
            String name = collidingKey(storeId, queue, random);
            long hash = new KeyHash(storeId)
                    .of(queue.getBytes(StandardCharsets.UTF_8), name.getBytes(StandardCharsets.US_ASCII));
            assertThat(hashes.merge(queue, hash, (first, other) -> first)).isEqualTo(hash);
            names.add(queue + "/" + name);
        }
        assertThat(names).doesNotHaveDuplicates();
        return names;
    }

    private static String collidingKey(long storeId, String queue, SplittableRandom random) {
        long ofQueue = ofQueue(storeId, queue);
        while (true) {
            byte[] first = new byte[Long.BYTES];
            for (int i = 0; i < first.length; i++) {
                first[i] = (byte) random.nextInt('a', 'z' + 1);
            }
            long state = fold(ofQueue ^ BYTES ^ inOrder(first).getLong(), K1);
            ByteBuffer key = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
            key.put(first).putLong(state ^ K0);
            if (isPlain(key.array())) {
                return new String(key.array(), StandardCharsets.US_ASCII);
            }
        }
    }

    private static ByteBuffer inOrder(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static long ofQueue(long storeId, String queue) {
        ByteBuffer bytes = inOrder(queue.getBytes(StandardCharsets.UTF_8));
        long state = fold(storeId ^ K0, K1) ^ bytes.remaining();
        while (bytes.remaining() >= Long.BYTES) {
            state = fold(state ^ bytes.getLong(), K1);
        }
        long rest = 0;
        while (bytes.hasRemaining()) {
            rest = (rest << Byte.SIZE) | Byte.toUnsignedLong(bytes.get());
        }
        return fold(state ^ rest, K2);
    }

    private static boolean isPlain(byte[] key) {
        for (byte each : key) {
            if (each <= ' ' || each == '/' || each >= 0x7f) {
                return false;
            }
        }
        return true;
    }

    private static long fold(long a, long b) {
        return a * b ^ Math.multiplyHigh(a, b);
    }
}
