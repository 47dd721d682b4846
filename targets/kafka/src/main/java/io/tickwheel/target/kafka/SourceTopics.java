package io.tickwheel.target.kafka;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Looks for the topics that a source needs, and makes the one for refused records where it is not there, with the partitions and replicas that the brokers give by themselves. */
final class SourceTopics {

    private static final int MOST_SECONDS = 10;

    private SourceTopics() {}

    /**
     * Returns the ids of the topics that are read.
     *
     * @throws IOException with the reason, when one is missing, or no broker answers
     */
    static Map<String, Uuid> look(Admin admin, SourceSettings settings) throws IOException {
        List<String> names = new ArrayList<>(settings.topics().keySet());
        names.add(settings.refusedTopic());
        Map<String, KafkaFuture<TopicDescription>> asked =
                admin.describeTopics(names).topicNameValues();
        Map<String, Uuid> ids = new HashMap<>();
        for (String topic : settings.topics().keySet()) {
            Optional<TopicDescription> found = find(topic, asked);
            ids.put(
                    topic,
                    found.orElseThrow(() -> new IOException("the topic " + topic + " is not there"))
                            .topicId());
        }
        if (find(settings.refusedTopic(), asked).isEmpty()) {
            make(admin, settings.refusedTopic());
        }
        return ids;
    }

    private static Optional<TopicDescription> find(String topic, Map<String, KafkaFuture<TopicDescription>> asked)
            throws IOException {
        try {
            return Optional.of(await("topic " + topic, Objects.requireNonNull(asked.get(topic))));
        } catch (IOException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private static void make(Admin admin, String topic) throws IOException {
        NewTopic made = new NewTopic(topic, Optional.empty(), Optional.empty());
        try {
            await(
                    "the topic " + topic + " cannot be made",
                    admin.createTopics(List.of(made)).all());
        } catch (IOException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw e;
            }
        }
    }

    private static <T> T await(String what, Future<T> answer) throws IOException {
        try {
            return answer.get(MOST_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException(what + ": " + cause.getMessage(), cause);
        } catch (TimeoutException e) {
            throw new IOException(what + ": no broker has answered", e);
        } catch (InterruptedException e) {
            // Nobody interrupts but who ends the thread.
            Thread.currentThread().interrupt();
            throw new IOException(what + ": interrupted", e);
        }
    }
}
