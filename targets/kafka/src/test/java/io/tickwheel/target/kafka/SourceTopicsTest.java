package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.target.message.OptionReader;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.Test;

/** What is asked of the brokers before anything is read, and what becomes of their answers. */
final class SourceTopicsTest {

    private static final Uuid IN = new Uuid(7, 8);
    private static final String REFUSED = "group.refused";

    private final SourceSettings settings = SourceSettings.read(new OptionReader(new TargetOptions(
            Clock.system(),
            1,
            Map.of(
                    "bootstrapServers",
                    "127.0.0.1:9",
                    "topics",
                    "in=out",
                    "groupId",
                    "group",
                    "refusedTopic",
                    REFUSED))));
    private final Map<String, Uuid> there = new HashMap<>(Map.of("in", IN));
    private final List<String> made = new ArrayList<>();

    private static final class Described extends DescribeTopicsResult {

        Described(Map<String, KafkaFuture<TopicDescription>> topics) {
            super(null, topics);
        }
    }

    private static final class Made extends CreateTopicsResult {

        Made(Map<String, KafkaFuture<TopicMetadataAndConfig>> topics) {
            super(topics);
        }
    }

    /** Brokers that say of each topic to be made the same. */
    private Admin brokers(ApiException answer) {
        return (Admin) Proxy.newProxyInstance(
                Admin.class.getClassLoader(),
                new Class<?>[] {Admin.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "describeTopics" -> describe((Collection<?>) arguments[0]);
                    case "createTopics" -> make((Collection<?>) arguments[0], answer);
                    default -> throw new AssertionError(method);
                });
    }

    private Described describe(Collection<?> names) {
        Map<String, KafkaFuture<TopicDescription>> answers = new HashMap<>();
        for (Object name : names) {
            Uuid id = there.get(name);
            answers.put(
                    name.toString(),
                    id == null
                            ? failed(new UnknownTopicOrPartitionException("no " + name))
                            : KafkaFuture.completedFuture(
                                    new TopicDescription(name.toString(), false, List.of(), null, id)));
        }
        return new Described(answers);
    }

    private Made make(Collection<?> topics, ApiException answer) {
        Map<String, KafkaFuture<CreateTopicsResult.TopicMetadataAndConfig>> answers = new HashMap<>();
        for (Object topic : topics) {
            made.add(((NewTopic) topic).name());
            answers.put(((NewTopic) topic).name(), failed(answer));
        }
        return new Made(answers);
    }

    private static <T> KafkaFuture<T> failed(ApiException why) {
        KafkaFutureImpl<T> answer = new KafkaFutureImpl<>();
        answer.completeExceptionally(why);
        return answer;
    }

    @Test
    void topicThatAnotherNodeMakesAtTheSameMomentIsThere() throws IOException {
        Admin brokers = brokers(new TopicExistsException("it is there"));
        assertThat(SourceTopics.look(brokers, settings)).containsExactly(Map.entry("in", IN));
        assertThat(made).containsExactly(REFUSED);
    }

    @Test
    void topicThatIsThereIsNotMadeAgain() throws IOException {
        there.put(REFUSED, new Uuid(7, 9));
        assertThat(SourceTopics.look(brokers(new TopicExistsException("it is there")), settings))
                .containsExactly(Map.entry("in", IN));
        assertThat(made).isEmpty();
    }

    @Test
    void topicThatCannotBeMadeIsSaid() {
        Admin brokers = brokers(new TopicAuthorizationException("not allowed"));
        assertThatThrownBy(() -> SourceTopics.look(brokers, settings))
                .isInstanceOf(IOException.class)
                .hasMessage("the topic " + REFUSED + " cannot be made: not allowed");
    }

    @Test
    void topicThatIsToBeReadIsNotMade() {
        there.clear();
        assertThatThrownBy(() -> SourceTopics.look(brokers(new TopicExistsException("it is there")), settings))
                .isInstanceOf(IOException.class)
                .hasMessage("the topic in is not there");
        assertThat(made).isEmpty();
    }
}
