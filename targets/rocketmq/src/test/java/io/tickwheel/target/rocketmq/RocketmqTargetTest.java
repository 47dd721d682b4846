package io.tickwheel.target.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.testkit.RecordedDelivery;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.apache.rocketmq.client.java.message.MessageViewImpl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The target with a real broker. */
@Tag("full")
final class RocketmqTargetTest {

    private static final byte[] NOTHING = {};

    @TempDir
    private static Path folder;

    private static RocketmqBroker broker;

    private Target target;

    @BeforeAll
    static void start() throws Exception {
        Map<String, String> topics = new HashMap<>();
        for (String topic : new String[] {"orders", "of-the-queue", "properties", "empty"}) {
            topics.put(topic, "NORMAL");
        }
        topics.put("ordered", "FIFO");
        topics.put("waiting", "FIFO");
        broker = new RocketmqBroker(folder, topics);
    }

    @AfterAll
    static void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    @BeforeEach
    void open() {
        target = open(Map.of());
    }

    @AfterEach
    void close() {
        target.close();
    }

    /** What is to fail for its time has little of it; what is to be delivered has much, as a busy machine may need. */
    private void openImpatient() {
        target.close();
        target = open(Map.of("timeoutMs", "4000"));
    }

    private static Target open(Map<String, String> settings) {
        Map<String, String> all =
                new HashMap<>(Map.of("endpoints", broker.address(), "tls", "false", "timeoutMs", "120000"));
        all.putAll(settings);
        return new RocketmqTargetKind().open(new TargetOptions(Clock.system(), 100, all));
    }

    @Test
    void messageHasKeyGroupTagPayloadAndEveryProperty() throws Exception {
        byte[] payload = new byte[256];
        IntStream.range(0, 256).forEach(i -> payload[i] = (byte) i);

        assertThat(Attempts.send(target, "k/ü", "properties///unpaid", payload, Map.of("X-Trace", "7"))
                        .end())
                .isEqualTo("acknowledged");

        MessageView message = broker.read("properties", 1).get(0);
        assertThat(message.getKeys()).containsExactly("k/ü");
        assertThat(message.getTag()).contains("unpaid");
        assertThat(bytes(message)).isEqualTo(payload);
        Map<String, String> expected = new HashMap<>(Map.of(
                "tickwheel-id", "id-k/ü",
                "tickwheel-queue", "orders",
                "tickwheel-key", "k/ü",
                "tickwheel-version", "3",
                "tickwheel-attempt", "2",
                "tickwheel-due-at", "2026-11-20T15:04:05.100Z",
                "tickwheel-attempt-at", "2026-11-20T15:04:15.100Z",
                "tickwheel-lateness-ms", "10012",
                "content-type", "text/plain",
                "X-Trace", "7"));
        expected.putAll(Map.of(
                "CE_specversion", "1.0",
                "CE_id", "id-k/ü",
                "CE_source", "/tickwheel/queues/orders",
                "CE_type", "io.tickwheel.timer",
                "CE_subject", "k/ü",
                "CE_time", "2026-11-20T15:04:05.100Z",
                "CE_contenttype", "text/plain"));
        assertThat(message.getProperties()).containsExactlyInAnyOrderEntriesOf(expected);
    }

    @Test
    void timerWithoutAPayloadSaysSo() throws Exception {
        assertThat(Attempts.send(target, "k", "empty", NOTHING, Map.of()).end()).isEqualTo("acknowledged");

        MessageView message = broker.read("empty", 1).get(0);
        assertThat(bytes(message)).containsExactly(0);
        assertThat(message.getProperties()).containsEntry("tickwheel-payload", "none");
    }

    @Test
    void withoutATopicTheOneOfTheQueueIsMeantAndTheKeyMayBeAnother() throws Exception {
        assertThat(Attempts.sendIn("of-the-queue", target, "k", "/customer-7").end())
                .isEqualTo("acknowledged");

        MessageView message = broker.read("of-the-queue", 1).get(0);
        assertThat(message.getKeys()).containsExactly("customer-7");
        assertThat(message.getProperties()).containsEntry("tickwheel-key", "k");
    }

    @Test
    void messagesOfAGroupAreInTheOrderOfTheirAttempts() throws Exception {
        List<RecordedDelivery> outcomes = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            outcomes.add(Attempts.send(target, "t" + i, "ordered//customer-" + i % 3));
        }
        for (RecordedDelivery outcome : outcomes) {
            assertThat(outcome.end()).isEqualTo("acknowledged");
        }

        Map<String, List<MessageViewImpl>> groups = new HashMap<>();
        broker.read("ordered", 300)
                .forEach(message -> groups.computeIfAbsent(
                                message.getMessageGroup().orElseThrow(), group -> new ArrayList<>())
                        .add((MessageViewImpl) message));
        assertThat(groups).hasSize(3);
        groups.values().forEach(messages -> {
            messages.sort(Comparator.comparingLong(MessageViewImpl::getOffset));
            assertThat(messages)
                    .extracting(message -> Integer.parseInt(
                            message.getProperties().get("tickwheel-key").substring(1)))
                    .hasSize(100)
                    .isSorted();
        });
    }

    @Test
    void missingTopicFailsInTimeAndHoldsUpNoOther() throws Exception {
        RecordedDelivery missing = Attempts.send(target, "k", "missing");

        assertThat(Attempts.send(target, "k", "orders").end()).isEqualTo("acknowledged");

        assertThat(missing.end()).startsWith("failed: topic missing: NotFound: ");
    }

    @Test
    void whatIsTooBigIsNeverTriedAgain() throws Exception {
        try (Closing small = new Closing(open(Map.of("maxBytes", "2048")))) {
            assertThat(Attempts.send(small.target(), "k", "orders", new byte[2_049], Map.of())
                            .end())
                    .isEqualTo("rejected: the payload has 2049 bytes, must have at most 2048");
        }
    }

    @Test
    void whatTheBrokerFindsTooBigIsNeverTriedAgain() throws Exception {
        try (Closing big = new Closing(open(Map.of("maxBytes", "9000000")))) {
            assertThat(Attempts.send(big.target(), "k", "orders", new byte[5_000_000], Map.of())
                            .end())
                    .startsWith("rejected: topic orders: ");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    k | a.b     | X-Trace      | 7  | rejected: topic a.b must be 1 to 127 letters,
                    k | orders  | Tickwheel-Id | me | rejected: header Tickwheel-Id is the sender's,
                    k | orders  | X-Trace      | '' | rejected: header X-Trace is blank or has control characters
                    k | orders  | KEYS         | k  | rejected: topic orders: BadRequest:
                    k | ordered | X-Trace      | 7  | rejected: topic ordered: IllegalArgument: Current message type not match
                    k | orders//g | X-Trace    | 7  | rejected: topic orders: IllegalArgument: Current message type not match
                    """)
    void whatCanNeverBeSentIsNeverTriedAgain(String key, String address, String header, String value, String end)
            throws Exception {
        assertThat(Attempts.send(target, key, address, new byte[] {1}, Map.of(header, value))
                        .end())
                .startsWith(end);
    }

    @Test
    void keysThatNoPropertyTakesAreNeverTriedAgain() throws Exception {
        for (String key : new String[] {"a\u0001", " "}) {
            assertThat(Attempts.send(target, key, "orders").end())
                    .startsWith("rejected: header tickwheel-")
                    .endsWith("is blank or has control characters, which RocketMQ does not take in a property");
        }
    }

    @Test
    void whileTheBrokerDoesNotAnswerOneAsksAndTheOthersFailAtOnce() throws Exception {
        openImpatient();
        assertThat(untilBack("orders")).isEqualTo("acknowledged");
        broker.stop();
        try {
            assertThat(Attempts.send(target, "first", "orders").end()).startsWith("failed: topic orders: ");
            RecordedDelivery probe = Attempts.send(target, "probe", "orders");
            for (int i = 0; i < 20; i++) {
                assertThat(Attempts.send(target, "other", "orders").end())
                        .startsWith("failed: topic orders: has been away since ");
            }
            assertThat(probe.end()).startsWith("failed: topic orders: ").doesNotContain("has been away");
            assertThat(Attempts.send(target, "next probe", "orders").isOpen()).isTrue();
        } finally {
            broker.goOn();
        }

        assertThat(untilBack("orders")).isEqualTo("acknowledged");
        assertThat(Attempts.send(target, "after", "orders").end()).isEqualTo("acknowledged");
    }

    @Test
    void whatWaitsForItsGroupEndsInTime() throws Exception {
        openImpatient();
        assertThat(untilBack("waiting//g")).isEqualTo("acknowledged");
        broker.stop();
        try {
            RecordedDelivery first = Attempts.send(target, "first", "waiting//g");
            RecordedDelivery second = Attempts.send(target, "second", "waiting//g");
            RecordedDelivery third = Attempts.send(target, "third", "waiting//g");
            assertThat(first.end()).startsWith("failed: topic waiting: ");
            assertThat(second.end()).startsWith("failed: topic waiting: ");
            assertThat(third.end()).isEqualTo("failed: topic waiting: Timeout: nobody has confirmed it in 4000 ms");
        } finally {
            broker.goOn();
        }

        assertThat(untilBack("waiting//g")).isEqualTo("acknowledged");
    }

    @ParameterizedTest
    @CsvSource({"no.such.host.invalid:8081", "127.0.0.1:1"})
    void proxiesThatNobodyKnowsDoNotEndTheStart(String endpoints) throws Exception {
        try (Closing closing = new Closing(open(Map.of("endpoints", endpoints, "timeoutMs", "4000")))) {
            RecordedDelivery first = Attempts.send(closing.target(), "k", "orders");
            assertThat(first.end()).startsWith("failed: topic orders: ");
            RecordedDelivery probe = Attempts.send(closing.target(), "k", "orders");
            RecordedDelivery other = Attempts.send(closing.target(), "k", "orders");
            assertThat(other.end()).startsWith("failed: topic orders: ");
            assertThat(probe.end()).startsWith("failed: topic orders: ");
            assertThat(List.of(first, probe, other)).noneMatch(RecordedDelivery::hasReached);
        }
    }

    @Test
    void tlsAndCredentialsAsTheProxyTakesThem() throws Exception {
        try (Closing closing =
                new Closing(open(Map.of("tls", "true", "accessKey", "shop", "secretKey", "canary-7f3a")))) {
            assertThat(Attempts.send(closing.target(), "k", "orders").end()).isEqualTo("acknowledged");
        }
    }

    @Test
    void clientWritesNoLogOfItsOwn() throws Exception {
        Path log = Path.of(System.getProperty("user.home"), "logs", "rocketmq", "rocketmq-client.log");
        long before = Files.exists(log) ? Files.size(log) : -1;

        assertThat(Attempts.send(target, "k", "orders").end()).isEqualTo("acknowledged");

        assertThat(Files.exists(log) ? Files.size(log) : -1).isEqualTo(before);
    }

    @Test
    void closeDropsWhatComesLater() {
        target.close();

        assertThat(Attempts.send(target, "k", "orders").isOpen()).isTrue();
    }

    @Test
    void withoutEndpointsEachAttemptFails() throws Exception {
        Target none = new RocketmqTargetKind().open(new TargetOptions(Clock.system(), 100, Map.of()));

        assertThat(Attempts.send(none, "k", "orders").end()).isEqualTo("failed: targets.rocketmq.endpoints is not set");
    }

    /** Tries again until the target has found out that the topic is there: each attempt is the one that asks, as it waits for the end. */
    private String untilBack(String topic) throws Exception {
        String end = "";
        for (int i = 0; i < 10_000 && !end.equals("acknowledged"); i++) {
            end = Attempts.send(target, "back", topic).end();
        }
        return end;
    }

    private static byte[] bytes(MessageView message) {
        byte[] bytes = new byte[message.getBody().remaining()];
        message.getBody().get(bytes);
        return bytes;
    }

    private record Closing(Target target) implements AutoCloseable {
        @Override
        public void close() {
            target.close();
        }
    }
}
