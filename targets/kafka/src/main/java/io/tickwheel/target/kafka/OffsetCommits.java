package io.tickwheel.target.kafka;

import io.tickwheel.engine.Clock;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Commits how far partitions are done with: one commit after the other, and not too many. What could not be committed is committed with the next one. For the thread of the source. */
final class OffsetCommits {

    private static final Logger LOG = LoggerFactory.getLogger(OffsetCommits.class);
    private static final long EACH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Clock clock;
    private final Map<TopicPartition, PartitionOffsets> partitions;
    private final BiConsumer<Map<TopicPartition, OffsetAndMetadata>, OffsetCommitCallback> sender;
    private boolean isUnderWay;
    private long sentNanos;

    /**
     * Makes one that has committed nothing.
     *
     * @param partitions those that are ours, at each moment
     * @param sender sends a commit, and tells later what became of it
     */
    OffsetCommits(
            Clock clock,
            Map<TopicPartition, PartitionOffsets> partitions,
            BiConsumer<Map<TopicPartition, OffsetAndMetadata>, OffsetCommitCallback> sender) {
        this.clock = clock;
        this.partitions = partitions;
        this.sender = sender;
        this.sentNanos = clock.monoNanos();
    }

    /** Commits what there is to commit, if it is time. */
    void send() {
        if (isUnderWay || clock.monoNanos() - sentNanos < EACH_NANOS) {
            return;
        }
        Map<TopicPartition, OffsetAndMetadata> offsets = open(partitions.keySet());
        if (offsets.isEmpty()) {
            return;
        }
        isUnderWay = true;
        sentNanos = clock.monoNanos();
        sender.accept(offsets, (sent, failure) -> {
            isUnderWay = false;
            if (failure == null) {
                committed(offsets);
            } else {
                LOG.debug("offsets could not be committed, and will be", failure);
            }
        });
    }

    /** What there is to commit of some partitions. */
    Map<TopicPartition, OffsetAndMetadata> open(Collection<TopicPartition> those) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (TopicPartition partition : those) {
            PartitionOffsets known = partitions.get(partition);
            if (known != null) {
                known.committable().ifPresent(offset -> offsets.put(partition, TopicMark.at(offset, known.topicId)));
            }
        }
        return offsets;
    }

    private void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
        offsets.forEach((partition, offset) -> {
            PartitionOffsets known = partitions.get(partition);
            if (known != null) {
                known.committed(offset.offset());
            }
        });
    }
}
