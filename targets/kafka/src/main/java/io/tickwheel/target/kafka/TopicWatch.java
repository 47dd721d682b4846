package io.tickwheel.target.kafka;

import io.tickwheel.engine.Clock;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out when a topic that is read has been deleted, or made anew, as consumers do not: they go on at the offset of the topic before. Asks the brokers each second, and waits for
 * nothing. For the thread of the source.
 */
final class TopicWatch {

    private static final Logger LOG = LoggerFactory.getLogger(TopicWatch.class);
    private static final long EACH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Admin admin;
    private final Clock clock;
    private @Nullable Map<String, KafkaFuture<TopicDescription>> asked;
    private long askedNanos;

    TopicWatch(Admin admin, Clock clock) {
        this.admin = admin;
        this.clock = clock;
        this.askedNanos = clock.monoNanos();
    }

    /**
     * Looks at what the brokers have answered, and asks again when it is time.
     *
     * @param ids of the topics that are read
     * @throws IOException when one of them is another one now, or none
     */
    void look(Map<String, Uuid> ids) throws IOException {
        Map<String, KafkaFuture<TopicDescription>> open = asked;
        if (open != null) {
            if (open.values().stream().allMatch(KafkaFuture::isDone)) {
                asked = null;
                for (Map.Entry<String, KafkaFuture<TopicDescription>> topic : open.entrySet()) {
                    check(topic.getKey(), topic.getValue(), ids.get(topic.getKey()));
                }
            }
        } else if (clock.monoNanos() - askedNanos >= EACH_NANOS) {
            askedNanos = clock.monoNanos();
            asked = admin.describeTopics(ids.keySet()).topicNameValues();
        }
    }

    private static void check(String topic, KafkaFuture<TopicDescription> answer, @Nullable Uuid id)
            throws IOException {
        try {
            if (!answer.get().topicId().equals(id)) {
                throw new IOException("the topic " + topic + " has been made anew");
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                throw new IOException("the topic " + topic + " is not there", e);
            }
            LOG.debug("the brokers do not say whether topic {} is there", topic, e);
        } catch (InterruptedException e) {
            // Nobody interrupts but who ends the thread.
            Thread.currentThread().interrupt();
        }
    }
}
