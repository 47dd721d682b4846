package io.tickwheel.target.kafka;

import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The id of a topic, committed with each offset: brokers keep what a group has committed by the name of the topic, and one that is made anew under that name has offsets of its own.
 */
final class TopicMark {

    private static final String PREFIX = "topicId=";

    private TopicMark() {}

    /** What is to be committed of a topic. */
    static OffsetAndMetadata at(long offset, Uuid topicId) {
        return new OffsetAndMetadata(offset, PREFIX + topicId);
    }

    /** Asks whether an offset was committed for another topic of that name. What was set by hand, or by others, names none and counts. */
    static boolean isOfAnother(@Nullable OffsetAndMetadata committed, Uuid topicId) {
        return committed != null
                && committed.metadata().startsWith(PREFIX)
                && !committed.metadata().equals(PREFIX + topicId);
    }
}
