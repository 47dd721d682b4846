package io.tickwheel.target.kafka;

import org.jspecify.annotations.Nullable;

/**
 * A record that has not ended.
 *
 * @param inbound what it says
 * @param partition where it lies
 * @param key by which its sender wants the timer known; null for none
 */
record Pending(
        InboundRecord inbound,
        PartitionOffsets partition,
        @Nullable String key) {

    Pending(InboundRecord inbound, PartitionOffsets partition) {
        this(inbound, partition, inbound.ownKey());
    }

    void end() {
        partition.end(inbound.record.offset());
    }
}
