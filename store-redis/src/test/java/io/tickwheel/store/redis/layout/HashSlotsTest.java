package io.tickwheel.store.redis.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class HashSlotsTest {

    @Test
    void slotsAreThoseOfRedis() {
        // The check value of CRC-16/XMODEM, and two that a server gave for CLUSTER KEYSLOT.
        assertThat(HashSlots.slot(Layout.bytes("123456789"))).isEqualTo(0x31c3);
        assertThat(HashSlots.slot(Layout.bytes("foo"))).isEqualTo(12_182);
        assertThat(HashSlots.slot(Layout.bytes("somekey"))).isEqualTo(11_058);
    }

    @Test
    void everySlotHasATagThatLiesInIt() {
        List<String> tags = HashSlots.tags();
        assertThat(tags).hasSize(HashSlots.COUNT);
        for (int slot = 0; slot < tags.size(); slot++) {
            assertThat(HashSlots.slot(Layout.bytes(tags.get(slot)))).isEqualTo(slot);
        }
        assertThat(tags.stream().mapToInt(String::length).max()).hasValue(4);
    }

    /** Keys have them in their names: with others, nothing that was written is found. */
    @Test
    void tagsStayWhatTheyWere() {
        assertThat(List.of(0, 1, 4_096, 5_461, 8_192, 10_922, 12_288, 13_907, 16_383))
                .extracting(HashSlots.tags()::get)
                .containsExactly("1bz", "emj", "17p", "3zu", "fjl", "bxv", "356", "0", "hia");
    }
}
