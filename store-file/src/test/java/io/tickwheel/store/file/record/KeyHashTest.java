package io.tickwheel.store.file.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Runs and the file of keys have hashes in them: with others, no timer that was written is found. */
final class KeyHashTest {

    private static long hash(long storeId, String queue, String key) {
        return new KeyHash(storeId).of(queue.getBytes(UTF_8), key.getBytes(UTF_8));
    }

    @Test
    void hashStaysWhatItWas() {
        assertThat(hash(7, "q", "k")).isEqualTo(0x33f99c6aafe3d4c8L);
        assertThat(hash(7, "orders", "order-42")).isEqualTo(0x1058e4fcd0eb038dL);
        assertThat(hash(7, "größe", "ключ-1")).isEqualTo(0x10366a15d2bb3e3dL);
        assertThat(hash(-1, "q", "")).isEqualTo(0x26356999066b110bL);
    }

    /** Whatever stands behind it: one byte of each letter beyond ASCII is negative. */
    @Test
    void eachByteCounts() {
        KeyHash hash = new KeyHash(7);
        byte[] queue = {'q'};
        for (int length = 1; length <= 9; length++) {
            for (int at = 0; at < length; at++) {
                Set<Long> hashes = new HashSet<>();
                byte[] key = new byte[length];
                for (int i = 0; i < length; i++) {
                    key[i] = -1;
                }
                for (int value = 0; value < 256; value++) {
                    key[at] = (byte) value;
                    hashes.add(hash.of(queue, key));
                }
                assertThat(hashes).as("byte %s of %s", at, length).hasSize(256);
            }
        }
    }

    @Test
    void queueAndKeyAreToldApart() {
        assertThat(hash(7, "ab", "c")).isNotEqualTo(hash(7, "a", "bc"));
        assertThat(hash(7, "a", "")).isNotEqualTo(hash(7, "", "a"));
        assertThat(hash(7, "a", "b")).isNotEqualTo(hash(8, "a", "b"));
    }
}
