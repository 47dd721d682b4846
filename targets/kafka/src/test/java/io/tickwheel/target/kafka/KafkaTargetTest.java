package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.RecordedDelivery;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The target with a real broker. */
final class KafkaTargetTest {

    private static final byte[] NOTHING = {};

    @TempDir
    private static Path folder;

    private static KafkaBroker broker;

    private Target target;

    @BeforeAll
    static void start() throws Exception {
        broker = new KafkaBroker(folder, KafkaBroker.PATIENT);
        broker.createTopic("orders", 4);
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
        target = open(Map.of("timeoutMs", "12000"));
    }

    private static Target open(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(Map.of("bootstrapServers", broker.address(), "timeoutMs", "120000"));
        all.putAll(settings);
        return new KafkaTargetKind().open(new TargetOptions(Clock.system(), 100, all));
    }

    /** It may have been scheduled before the rule, or the queue has such a name. */
    @Test
    void timerForATopicOfKafkaItselfIsADeadLetterUnlessAllowed() throws Exception {
        broker.createTopic("__mine", 1);
        assertThat(Attempts.send(target, "k", "__mine", new byte[] {1}, Map.of())
                        .end())
                .startsWith("rejected: topic __mine must not begin with __");
        target.close();
        target = open(Map.of("internalTopics", "true"));
        assertThat(Attempts.send(target, "k", "__mine", new byte[] {2}, Map.of())
                        .end())
                .isEqualTo("acknowledged");
        assertThat(broker.read("__mine")).hasSize(1).allMatch(record -> record.value()[0] == 2);
    }

    @Test
    void recordHasKeyPayloadAndEveryHeader() throws Exception {
        broker.createTopic("headers", 1);
        byte[] payload = new byte[256];
        IntStream.range(0, 256).forEach(i -> payload[i] = (byte) i);

        assertThat(Attempts.send(target, "k/ü", "headers", payload, Map.of("X-Trace", "7"))
                        .end())
                .isEqualTo("acknowledged");

        ConsumerRecord<byte[], byte[]> record = broker.read("headers").get(0);
        assertThat(text(record.key())).isEqualTo("k/ü");
        assertThat(record.value()).isEqualTo(payload);
        assertThat(headers(record))
                .containsExactly(
                        "tickwheel-id: id-k/ü",
                        "tickwheel-queue: orders",
                        "tickwheel-key: k/ü",
                        "tickwheel-version: 3",
                        "tickwheel-attempt: 2",
                        "tickwheel-due-at: 2026-11-20T15:04:05.100Z",
                        "tickwheel-attempt-at: 2026-11-20T15:04:15.100Z",
                        "tickwheel-lateness-ms: 10012",
                        "content-type: text/plain",
                        "ce_specversion: 1.0",
                        "ce_id: id-k/ü",
                        "ce_source: /tickwheel/queues/orders",
                        "ce_type: io.tickwheel.timer",
                        "ce_subject: k/ü",
                        "ce_time: 2026-11-20T15:04:05.100Z",
                        "X-Trace: 7");
    }

    /** Such as of a heap that is full. */
    @Test
    void errorIsTheEndOfItsAttemptAlone() {
        AtomicBoolean isFull = new AtomicBoolean();
        Clock clock = new Clock() {
            @Override
            public Instant now() {
                if (isFull.getAndSet(false)) {
                    throw new OutOfMemoryError("planted");
                }
                return Clock.system().now();
            }

            @Override
            public long monoNanos() {
                return Clock.system().monoNanos();
            }
        };
        Map<String, String> settings = Map.of("bootstrapServers", broker.address(), "timeoutMs", "120000");
        Target broken = new KafkaTargetKind().open(new TargetOptions(clock, 100, settings));
        isFull.set(true);
        assertThat(Attempts.send(broken, "k", "orders").end())
                .isEqualTo("failed: the record could not be sent: java.lang.OutOfMemoryError: planted");
        assertThat(Attempts.send(broken, "k", "orders").end()).isEqualTo("acknowledged");
        broken.close();
    }

    @Test
    void emptyPayloadIsNoTombstone() throws Exception {
        broker.createTopic("empty", 1);

        assertThat(Attempts.send(target, "k", "empty", NOTHING, Map.of()).end()).isEqualTo("acknowledged");

        assertThat(broker.read("empty").get(0).value()).isNotNull().isEmpty();
    }

    @Test
    void withoutATopicTheOneOfTheQueueIsMeant() throws Exception {
        assertThat(Attempts.send(target, "of the queue", "").end()).isEqualTo("acknowledged");

        assertThat(broker.read("orders"))
                .extracting(record -> text(record.key()))
                .contains("of the queue");
    }

    @Test
    void timersWithOneKeyComeInTheirOrderAlsoWhileTheTopicIsNotKnownYet() throws Exception {
        broker.createTopic("ordered", 4);
        List<RecordedDelivery> outcomes = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            outcomes.add(Attempts.send(target, "t" + i, "ordered customer-" + i % 5));
        }
        for (RecordedDelivery outcome : outcomes) {
            assertThat(outcome.end()).isEqualTo("acknowledged");
        }

        Ordered.check(broker.read("ordered"), 500);
    }

    @Test
    void missingTopicFailsInTimeAndHoldsUpNoOther() throws Exception {
        openImpatient();
        assertThat(Attempts.untilAcknowledged(target, "orders")).isEqualTo("acknowledged");
        RecordedDelivery missing = Attempts.send(target, "k", "missing");

        assertThat(Attempts.send(target, "k", "orders").end()).isEqualTo("acknowledged");

        assertThat(missing.isOpen()).isTrue();
        assertThat(missing.end())
                .isEqualTo("failed: topic missing: Timeout: no broker has told where it is, or no buffer was free,"
                        + " for 3000 ms");
        broker.createTopic("missing", 1);
        assertThat(Attempts.untilAcknowledged(target, "missing")).isEqualTo("acknowledged");
    }

    @Test
    void whatIsTooBigIsNeverTriedAgain() throws Exception {
        try (Closing small = new Closing(open(Map.of("maxBytes", "2048")))) {
            assertThat(Attempts.send(small.target(), "k", "orders", new byte[3_000], Map.of())
                            .end())
                    .startsWith("rejected: topic orders: RecordTooLarge: ");
        }
    }

    @Test
    void whatTheBrokerFindsTooBigIsNeverTriedAgain() throws Exception {
        try (Closing big = new Closing(open(Map.of("maxBytes", "4000000")))) {
            assertThat(Attempts.send(big.target(), "k", "orders", new byte[3_000_000], Map.of())
                            .end())
                    .startsWith("rejected: topic orders: RecordTooLarge: ");
        }
    }

    @Test
    void whatCanNeverBeSentIsNeverTriedAgain() throws Exception {
        assertThat(Attempts.send(target, "k", "a/b").end())
                .isEqualTo("rejected: topic a/b must be 1 to 249 letters, digits, '.', '_' and '-' of ASCII, and"
                        + " neither . nor ..");
        assertThat(Attempts.send(target, "k", "orders", NOTHING, Map.of("Tickwheel-Id", "mine"))
                        .end())
                .startsWith("rejected: header Tickwheel-Id ");
    }

    /** The one that asks, and those that do not wait for it. */
    @Test
    void brokerThatIsAwayIsNotReached() throws Exception {
        try (Closing closing = new Closing(open(Map.of("bootstrapServers", "127.0.0.1:1", "timeoutMs", "4000")))) {
            RecordedDelivery first = Attempts.send(closing.target(), "k", "orders");
            assertThat(first.end()).startsWith("failed: topic orders: Timeout: ");
            RecordedDelivery probe = Attempts.send(closing.target(), "k", "orders");
            RecordedDelivery other = Attempts.send(closing.target(), "k", "orders");
            assertThat(other.end()).contains("has been away since ");
            assertThat(probe.end()).startsWith("failed: ");
            assertThat(List.of(first, probe, other)).noneMatch(RecordedDelivery::hasReached);
        }
    }

    @Test
    void brokersThatNobodyKnowsDoNotEndTheStart() throws Exception {
        try (Closing closing =
                new Closing(open(Map.of("bootstrapServers", "no.such.host.invalid:9092", "timeoutMs", "4000")))) {
            assertThat(Attempts.send(closing.target(), "k", "orders").end()).startsWith("failed: topic orders: ");
        }
    }

    @Test
    void brokersThatNobodyKnowsAreNotReachedHoweverOftenTheyAreLookedFor() throws Exception {
        ManualClock clock = new ManualClock();
        Map<String, String> unknown = Map.of("bootstrapServers", "no.such.host.invalid:9092");
        try (Closing closing = new Closing(new KafkaTargetKind().open(new TargetOptions(clock, 100, unknown)))) {
            RecordedDelivery soon = Attempts.send(closing.target(), "k", "orders");
            assertThat(soon.end()).contains("the last one was made less than a second ago");
            clock.advance(Duration.ofSeconds(1));
            RecordedDelivery later = Attempts.send(closing.target(), "k", "orders");
            assertThat(later.end()).endsWith("no address of a broker is known to the name service");
            assertThat(List.of(soon, later)).noneMatch(RecordedDelivery::hasReached);
        }
    }

    @Test
    void closeDropsWhatWaits() {
        RecordedDelivery waiting = Attempts.send(target, "k", "never-made");

        target.close();

        assertThat(waiting.isOpen()).isTrue();
        assertThat(Attempts.send(target, "k", "orders").isOpen()).isTrue();
    }

    @Test
    void withoutAddressesEachAttemptFails() throws Exception {
        Target none = new KafkaTargetKind().open(new TargetOptions(Clock.system(), 100, Map.of()));

        assertThat(Attempts.send(none, "k", "orders").end())
                .isEqualTo("failed: targets.kafka.bootstrapServers is not set");
    }

    private record Closing(Target target) implements AutoCloseable {
        @Override
        public void close() {
            target.close();
        }
    }

    private static List<String> headers(ConsumerRecord<byte[], byte[]> record) {
        return StreamSupport.stream(record.headers().spliterator(), false)
                .map(header -> header.key() + ": " + text(header.value()))
                .toList();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
