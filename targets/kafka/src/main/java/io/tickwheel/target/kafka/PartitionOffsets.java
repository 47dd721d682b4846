package io.tickwheel.target.kafka;

import java.util.OptionalLong;
import java.util.TreeSet;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * How far a partition is done with, while its records end in any order: a record that comes before one that has not ended is no end. Lives from when the partition is
 * assigned until it is given away. Owned by the thread of the source.
 */
final class PartitionOffsets {

    final TopicPartition partition;
    final Uuid topicId;
    private final TreeSet<Long> open = new TreeSet<>();
    private OptionalLong next = OptionalLong.empty();
    private long end;
    private OptionalLong committed = OptionalLong.empty();
    private boolean isOurs = true;

    PartitionOffsets(TopicPartition partition, Uuid topicId) {
        this.partition = partition;
        this.topicId = topicId;
    }

    /** Asks whether nobody else may have the partition yet. */
    boolean isOurs() {
        return isOurs;
    }

    void giveAway() {
        isOurs = false;
    }

    /** Asks whether an offset lies before one that was read: then the partition has begun anew, or was cut. */
    boolean isBehind(long offset) {
        return next.isPresent() && offset < next.getAsLong();
    }

    /** Notes a record that was read; they come in the order of their offsets. */
    void begin(long offset) {
        if (committed.isEmpty()) {
            committed = OptionalLong.of(offset);
        }
        open.add(offset);
        next = OptionalLong.of(offset + 1);
    }

    /** Notes that a record need not be read again. */
    void end(long offset) {
        open.remove(offset);
    }

    boolean isIdle() {
        return open.isEmpty();
    }

    /** Notes what the brokers say of the offset of the next record that is written. */
    void ends(long offset) {
        end = offset;
    }

    /** Asks whether a record with that offset is known to be there. */
    boolean reaches(long offset) {
        return offset < end || (next.isPresent() && offset < next.getAsLong());
    }

    /** The offset to be committed: the one of the first record that has not ended. Empty when that is committed. */
    OptionalLong committable() {
        OptionalLong first = open.isEmpty() ? next : OptionalLong.of(open.first());
        return first.equals(committed) ? OptionalLong.empty() : first;
    }

    void committed(long offset) {
        committed = OptionalLong.of(offset);
    }
}
