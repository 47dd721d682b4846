package io.tickwheel.target.kafka;

import java.util.Objects;
import org.apache.kafka.common.Uuid;

/**
 * Where a record lies, as the hash that is kept with the timer that was made of it: 20 bits of the partition, and 44 of the offset. So a record that comes again is known also when the timer
 * that is there, or was, is of a later record of its partition, which took its place. A topic that is made anew has another id.
 *
 * @param value never 0
 */
record RecordPosition(long value) {

    private static final int OFFSET_BITS = 44;

    /** From this one on offsets have no hash. */
    static final long END = 1L << OFFSET_BITS;

    private static final int PARTITIONS = 1 << (Long.SIZE - OFFSET_BITS);

    /** @throws Refusal when the offset has no hash */
    static RecordPosition of(Uuid topicId, int partition, long offset) {
        if (offset >= END) {
            throw new Refusal(
                    "offset is " + offset + ", must be less than " + END + " for a record with a " + InboundRecord.KEY);
        }
        // From 1 on, as 0 stands for no hash.
        long place = 1 + Integer.toUnsignedLong(Objects.hash(topicId, partition) * 0x9E3779B9) % (PARTITIONS - 1);
        return new RecordPosition(place << OFFSET_BITS | offset);
    }

    long offset() {
        return value & (END - 1);
    }

    /** Asks whether the other one is later in the same partition. */
    boolean isBefore(RecordPosition other) {
        return value >>> OFFSET_BITS == other.value >>> OFFSET_BITS && offset() < other.offset();
    }
}
