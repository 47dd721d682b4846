package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.testkit.MemoryTimerStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Topics that are missing, deleted or made anew, on a real broker; and where a source begins to read. */
@Timeout(300)
final class KafkaSourceTopicsTest {

    private static final String FAR = "1h";

    @TempDir
    private static Path folder;

    private static KafkaBroker broker;
    private static int number;

    private String in;
    private String out;
    private String group;
    private Publisher publisher;
    private DelayShop shop;

    @BeforeAll
    static void start() throws Exception {
        broker = new KafkaBroker(folder, KafkaBroker.PATIENT);
    }

    @AfterAll
    static void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    @BeforeEach
    void open() throws Exception {
        number++;
        in = "in-" + number;
        out = "out-" + number;
        group = "group-" + number;
        broker.createTopic(in, 1);
        broker.createTopic(out, 1);
        publisher = new Publisher(broker.address(), Map.of());
        shop = new DelayShop(broker.address(), new MemoryTimerStore(), timers -> timers).open(settings(in));
    }

    private Map<String, String> settings(String topic) {
        return Map.of("topics", topic + "=" + out, "groupId", group);
    }

    @AfterEach
    void close() {
        publisher.close();
        shop.close();
    }

    private void send(String value, String... headers) throws Exception {
        publisher.send(Publisher.to(in, "k", value, headers));
    }

    private void sendPads(String name, int number) throws Exception {
        for (int i = 0; i < number; i++) {
            send("pad", "x-delay", FAR, "message-id", name + i);
        }
    }

    private List<ConsumerRecord<byte[], byte[]>> await(int records) {
        List<ConsumerRecord<byte[], byte[]>> came = Patience.look(() -> broker.read(out), all -> all.size() >= records);
        assertThat(came).hasSize(records);
        return came;
    }

    /** The new record lies before the place of the old one, and that place is taken again. */
    @Test
    void topicThatIsMadeAnewHasRecordsOfItsOwn() throws Exception {
        sendPads("old", 5);
        send("old", "x-delay", "0", "tickwheel-key", "order-42");
        shop.awaitCounts(6, 0, 0);
        shop.closeSource();
        broker.deleteTopic(in);
        broker.createTopic(in, 1);
        send("new", "x-delay", "0", "tickwheel-key", "order-42");
        sendPads("new", 9);

        shop.open(settings(in));

        shop.awaitCounts(10, 0, 0);
        assertThat(await(2).get(1).value()).isEqualTo(Publisher.bytes("new"));
    }

    /** A consumer goes on where it was, and records that take the places of others are no records that come again. */
    @Test
    void topicThatIsMadeAnewWhileItIsReadHasRecordsOfItsOwn() throws Exception {
        send("old", "x-delay", "0", "tickwheel-key", "order-42");
        sendPads("old", 5);
        shop.awaitCounts(6, 0, 0);
        await(1);
        broker.deleteTopic(in);
        broker.createTopic(in, 1);
        send("new", "x-delay", "0", "tickwheel-key", "order-42");
        sendPads("new", 9);
        assertThat(await(2).get(1).value()).isEqualTo(Publisher.bytes("new"));
        for (int i = 0; i < 9; i++) {
            String key = "new" + i;
            assertThat(Patience.look(() -> shop.timers.find("kafka", key).join(), found -> found.isPresent()))
                    .as(key)
                    .isPresent();
        }
    }

    /** A source may commit once more after the topic was deleted, when the brokers have forgotten what was committed of it. */
    @Test
    void offsetOfTheTopicBeforeCountsForNoOther() throws Exception {
        sendPads("old", 1);
        String before = awaitMark(mark -> !mark.isEmpty());
        assertThat(before).startsWith("topicId=");
        shop.closeSource();
        broker.deleteTopic(in);
        broker.createTopic(in, 1);
        sendPads("new", 3);
        commit(2, before);

        shop.open(settings(in));

        shop.awaitCounts(3, 0, 0);
        assertThat(awaitMark(mark -> !mark.equals(before)))
                .startsWith("topicId=")
                .isNotEqualTo(before);
    }

    @Test
    void offsetThatIsSetByHandCounts() throws Exception {
        shop.closeSource();
        sendPads("m", 3);
        commit(2, "");
        shop.open(settings(in));
        shop.awaitCounts(1, 0, 0);

        shop.closeSource();
        sendPads("next", 2);
        commit(4, "by hand");
        shop.open(settings(in));
        shop.awaitCounts(1, 0, 0);
    }

    /** It was read again from its beginning, as long as the connection lasted. */
    @Test
    void topicThatWasMadeAnewIsReadOnAfterARebalance() throws Exception {
        broker.deleteTopic(in);
        awaitMissed(in);
        broker.createTopic(in, 1);
        sendPads("new", 3);
        Patience.until(
                "all have been taken in and committed",
                () -> broker.committed(group, new TopicPartition(in, 0)).orElse(0) == 3);
        try (Admin admin = broker.admin()) {
            Set<String> before = members(admin);
            admin.removeMembersFromConsumerGroup(group, new RemoveMembersFromConsumerGroupOptions())
                    .all()
                    .get();
            Patience.until("it has joined again", () -> {
                Set<String> now = members(admin);
                return !now.isEmpty() && !now.equals(before);
            });
        }
        sendPads("next", 1);

        shop.awaitCounts(4, 0, 0);
    }

    /** Those that have partitions; none while these are given away. */
    private Set<String> members(Admin admin) {
        try {
            ConsumerGroupDescription described = admin.describeConsumerGroups(List.of(group))
                    .describedGroups()
                    .get(group)
                    .get();
            return described.groupState() == GroupState.STABLE
                    ? described.members().stream()
                            .map(MemberDescription::consumerId)
                            .collect(Collectors.toSet())
                    : Set.of();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private void awaitMissed(String topic) {
        assertThat(Patience.look(
                        shop.source()::unready, unready -> unready.orElse("").contains("is not there")))
                .contains("nothing comes from " + broker.address() + ": the topic " + topic + " is not there");
    }

    /** What is committed with the offset; empty when nothing is. */
    private String awaitMark(Predicate<String> wanted) {
        return Patience.look(
                () -> broker.offset(group, new TopicPartition(in, 0))
                        .map(OffsetAndMetadata::metadata)
                        .orElse(""),
                wanted);
    }

    private void commit(long offset, String metadata) throws Exception {
        broker.set(group, new TopicPartition(in, 0), new OffsetAndMetadata(offset, metadata));
    }

    @Test
    void topicThatIsDeletedIsMissed() throws Exception {
        broker.deleteTopic(in);
        awaitMissed(in);
        broker.createTopic(in, 1);
        shop.awaitReady();
        send("v", "x-delay", "0");
        await(1);
    }

    @Test
    void topicThatIsMissingIsWaitedFor() throws Exception {
        shop.closeSource();
        shop.begin(settings(in + ".missing"));
        awaitMissed(in + ".missing");

        broker.createTopic(in + ".missing", 1);
        shop.awaitReady();
        publisher.send(Publisher.to(in + ".missing", "k", "v", "x-delay", "0"));
        await(1);
    }
}
