package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.TimerDetails;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.FileTimerStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What records become, on a real broker: each test has topics of its own, {@code in} and {@code out}, and a group of its own. */
@Timeout(300)
final class KafkaSourceTest {

    private static final String FAR = "1h";

    @TempDir
    private static Path folder;

    private static KafkaBroker broker;
    private static int number;

    @TempDir
    private Path data;

    private String in;
    private String out;
    private String refused;
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
        refused = "refused-" + number;
        broker.createTopic(in, 1);
        broker.createTopic(out, 1);
        publisher = new Publisher(broker.address(), Map.of());
        shop = new DelayShop(broker.address(), FileTimerStore.in(data).withSegmentBytes(1 << 16), timers -> timers)
                .open(settings());
    }

    private Map<String, String> settings() {
        return new HashMap<>(Map.of("topics", in + "=" + out, "groupId", "group-" + number, "refusedTopic", refused));
    }

    @AfterEach
    void close() {
        publisher.close();
        shop.close();
    }

    private RecordMetadata send(String key, String value, String... headers) throws Exception {
        return publisher.send(Publisher.to(in, key, value, headers));
    }

    private List<ConsumerRecord<byte[], byte[]>> await(String topic, int records) {
        List<ConsumerRecord<byte[], byte[]>> came =
                Patience.look(() -> broker.read(topic), all -> all.size() >= records);
        assertThat(came).hasSize(records);
        return came;
    }

    /** An attempt whose record has come may not have ended yet. */
    private TimerState state(String key) {
        return Patience.look(
                () -> shop.timers.find("kafka", key).join().orElseThrow().state(),
                state -> state != TimerState.CLAIMED);
    }

    /** As after a crash before any offset was committed. */
    private void readAllAgain() throws Exception {
        shop.closeSource();
        broker.rewind("group-" + number, in);
        shop.open(settings());
    }

    @Test
    void recordComesOutAsItCameInAfterItsDelay() throws Exception {
        byte[] bytes = {0, (byte) 0xff, (byte) 0xc0, 7};
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(in, bytes, bytes);
        record.headers().add("binary", bytes).add("twice", new byte[] {1}).add("twice", new byte[] {2});
        record.headers().add("none", null).add("ce_type", Publisher.bytes("their.own"));
        record.headers().add("x-delay", Publisher.bytes("1500")).add("tickwheel-refused", bytes);
        RecordMetadata sent = publisher.send(record);

        ConsumerRecord<byte[], byte[]> came = await(out, 1).get(0);
        assertThat(came.timestamp()).as("never early").isGreaterThanOrEqualTo(sent.timestamp() + 1_500);
        assertThat(came.key()).isEqualTo(bytes);
        assertThat(came.value()).isEqualTo(bytes);
        assertThat(came.headers().lastHeader("binary").value()).isEqualTo(bytes);
        assertThat(came.headers().lastHeader("none").value()).isNull();
        assertThat(StreamSupport.stream(came.headers().spliterator(), false).map(header -> header.key()))
                .containsExactly(
                        "binary",
                        "twice",
                        "twice",
                        "none",
                        "ce_type",
                        "tickwheel-id",
                        "tickwheel-queue",
                        "tickwheel-key",
                        "tickwheel-version",
                        "tickwheel-attempt",
                        "tickwheel-due-at",
                        "tickwheel-attempt-at",
                        "tickwheel-lateness-ms");
        assertThat(text(came, "ce_type")).isEqualTo("their.own");
        assertThat(text(came, "tickwheel-key")).isEqualTo(in + "-0-0");
        assertThat(Instant.parse(text(came, "tickwheel-due-at")).toEpochMilli()).isEqualTo(sent.timestamp() + 1_500);
    }

    @Test
    void recordWithoutKeyOrValueStaysWithout() throws Exception {
        send(null, null, "x-delay", "0");
        send("", "", "x-delay", "0");

        List<ConsumerRecord<byte[], byte[]>> came = await(out, 2);
        assertThat(came.get(0).key()).isNull();
        assertThat(came.get(0).value()).as("a tombstone").isNull();
        assertThat(came.get(1).key()).isEmpty();
        assertThat(came.get(1).value()).isEmpty();
    }

    @Test
    void delaysAreTextsOrMillisecondsOrADueTime() throws Exception {
        Instant due = Instant.now().plusMillis(200);
        for (String[] header : new String[][] {
            {"x-delay", "0"},
            {"x-delay", "250"},
            {"x-delay", "250ms"},
            {"x-delay", "PT0.25S"},
            {"tickwheel-due-at", "2001-01-01T00:00:00Z"},
            {"tickwheel-due-at", due.toString()}
        }) {
            send("k", "v", header);
        }

        assertThat(await(out, 6).get(5).timestamp()).isGreaterThanOrEqualTo(due.toEpochMilli());
        shop.awaitCounts(6, 0, 0);
    }

    @Test
    void delayCountsFromTheTimeOfTheRecord() throws Exception {
        ProducerRecord<byte[], byte[]> old =
                new ProducerRecord<>(in, null, System.currentTimeMillis() - 3_600_000, null, new byte[] {1});
        old.headers().add("x-delay", Publisher.bytes("1h"));
        publisher.send(old);

        await(out, 1);
    }

    @Test
    void headerNamesTheTopic() throws Exception {
        String other = out + ".other";
        broker.createTopic(other, 1);
        send("k", "v", "x-delay", "0", "tickwheel-topic", other);

        assertThat(await(other, 1).get(0).headers().lastHeader("tickwheel-topic"))
                .isNull();
    }

    @Test
    void recordThatNoTimerCanBeMadeOfIsKeptWithTheReasonAndStopsNothing() throws Exception {
        String longText = "x".repeat(1_000);
        check("headers have neither x-delay nor tickwheel-due-at, must have one of them");
        check(
                "headers have both x-delay and tickwheel-due-at, must have one of them",
                "x-delay",
                "1",
                "tickwheel-due-at",
                "2030-01-01T00:00:00Z");
        check(
                "x-delay is 'soon', must be a duration such as 1500ms, 30m, 1h30m, 7d or PT30M; a number alone is one of"
                        + " milliseconds",
                "x-delay",
                "soon");
        check("x-delay is '-1', must not be negative; a number alone is one of milliseconds", "x-delay", "-1");
        check("x-delay is '9223372036854775807', must be due ", "x-delay", "9223372036854775807");
        check("x-delay is '99999999999999999999', is too long", "x-delay", "99999999999999999999");
        check(
                "tickwheel-due-at is 'tomorrow', must be RFC 3339 with a zone, such as 2026-11-20T15:04:05.113Z",
                "tickwheel-due-at",
                "tomorrow");
        check("tickwheel-topic is 'a/b', " + TopicAddress.TOPIC_RULE, "x-delay", "1", "tickwheel-topic", "a/b");
        check("tickwheel-topic is 'xxxxx", "x-delay", "1", "tickwheel-topic", longText);
        check(
                "tickwheel-topic is '" + in + "', must be none that is read, as the record would come again",
                "x-delay",
                "1",
                "tickwheel-topic",
                in);
        check("key has 1000 bytes, must have 1 to 512", "x-delay", "1", "message-id", longText);
        check("key is empty, must have 1 to 512 bytes", "x-delay", "1", "tickwheel-key", "");
        send("k", "fine", "x-delay", "0");
        await(out, 1);
    }

    private int checked;

    private void check(String reason, String... headers) throws Exception {
        RecordMetadata sent = send("k" + checked, "v" + checked, headers);
        ConsumerRecord<byte[], byte[]> kept = await(refused, ++checked).get(checked - 1);
        assertThat(text(kept, "tickwheel-refused")).startsWith(reason).hasSizeLessThan(250);
        assertThat(text(kept, "tickwheel-refused-from")).isEqualTo(in + "-0-" + sent.offset());
        assertThat(kept.key()).isEqualTo(Publisher.bytes("k" + (checked - 1)));
        assertThat(kept.value()).isEqualTo(Publisher.bytes("v" + (checked - 1)));
        for (int i = 0; i < headers.length; i += 2) {
            assertThat(text(kept, headers[i])).isEqualTo(headers[i + 1]);
        }
        shop.awaitCounts(0, 0, checked);
    }

    @Test
    void headerThatIsNoTextIsRefused() throws Exception {
        ProducerRecord<byte[], byte[]> record = Publisher.to(in, "k", "v");
        record.headers().add("x-delay", new byte[] {(byte) 0xff});
        publisher.send(record);

        assertThat(text(await(refused, 1).get(0), "tickwheel-refused"))
                .isEqualTo("x-delay is no text, must be in UTF-8");
    }

    @Test
    void refusedRecordThatIsTooLargeForItsTopicIsThereByItsPlace() throws Exception {
        shop.closeSource();
        broker.createTopic(refused + ".small", 1, Map.of("max.message.bytes", "1000"));
        Map<String, String> settings = settings();
        settings.put("refusedTopic", refused + ".small");
        shop.open(settings);
        send("k", "v".repeat(5_000));
        send("k", "fine", "x-delay", "0");

        ConsumerRecord<byte[], byte[]> kept = await(refused + ".small", 1).get(0);
        assertThat(text(kept, "tickwheel-refused")).endsWith("; too large to be kept here");
        assertThat(text(kept, "tickwheel-refused-from")).isEqualTo(in + "-0-0");
        assertThat(kept.value()).isNull();
        await(out, 1);
    }

    @Test
    void recordThatComesTwiceMakesOneTimerAlsoWhenThatIsOver() throws Exception {
        send("k", "v", "x-delay", FAR, "message-id", "cancelled");
        send("k", "v", "x-delay", "0", "message-id", "delivered");
        await(out, 1);
        shop.timers.cancel("kafka", "cancelled").join();

        send("k", "v", "x-delay", FAR, "message-id", "cancelled");
        send("k", "v", "x-delay", "0", "message-id", "delivered");

        shop.awaitCounts(2, 2, 0);
        assertThat(state("cancelled")).isEqualTo(TimerState.CANCELLED);
        assertThat(state("delivered")).isEqualTo(TimerState.COMPLETED);
        send("k", "last", "x-delay", "0");
        assertThat(await(out, 2)).extracting(came -> came.value()).contains(Publisher.bytes("last"));
    }

    @Test
    void anotherRecordWithTheSameIdIsRefused() throws Exception {
        send("k", "one", "x-delay", FAR, "message-id", "same");
        send("k", "two", "x-delay", FAR, "message-id", "same");
        send("other", "one", "x-delay", FAR, "message-id", "same");

        shop.awaitCounts(1, 0, 2);
        assertThat(await(refused, 2))
                .allSatisfy(kept -> assertThat(text(kept, "tickwheel-refused"))
                        .isEqualTo("message-id is that of another record, must be its own"));
    }

    @Test
    void timerIsCancelledAndReplacedByTheKeyOfTheRecord() throws Exception {
        send("k", "one", "x-delay", FAR, "tickwheel-key", "order-42", "message-id", "m");
        send("k", "two", "x-delay", FAR, "tickwheel-key", "order-42", "message-id", "m");
        shop.awaitCounts(2, 0, 0);
        assertThat(shop.timers
                        .read("kafka", "order-42")
                        .join()
                        .orElseThrow()
                        .content()
                        .payload())
                .isEqualTo(Publisher.bytes("two"));

        shop.timers.cancel("kafka", "order-42").join();
        assertThat(state("order-42")).isEqualTo(TimerState.CANCELLED);
        send("k", "three", "x-delay", "0", "tickwheel-key", "order-42");

        assertThat(await(out, 1).get(0).value()).isEqualTo(Publisher.bytes("three"));
    }

    @Test
    void recordsOfOneKeyBecomeTimersInTheirOrder() throws Exception {
        for (int i = 0; i < 200; i++) {
            var unused = publisher.producer.send(Publisher.to(in, "k", "v" + i, "x-delay", FAR, "tickwheel-key", "k"));
        }
        shop.awaitCounts(200, 0, 0);
        TimerDetails last = shop.timers.read("kafka", "k").join().orElseThrow();
        assertThat(last.timer().version()).isEqualTo(200);
        assertThat(last.content().payload()).isEqualTo(Publisher.bytes("v199"));
    }

    /** Of four records under one key each took the place of the one before, and the last was delivered; two of another key wait, and one was cancelled. */
    @Test
    void recordsThatAreReadAgainMakeNoSecondTimer() throws Exception {
        for (String value : List.of("one", "two", "three")) {
            send("k", value, "x-delay", FAR, "tickwheel-key", "done");
            send("k", value, "x-delay", FAR, "tickwheel-key", "waits");
        }
        send("k", "four", "x-delay", "0", "tickwheel-key", "done");
        send("k", "no id", "x-delay", "0");
        send("k", "v", "x-delay", FAR, "tickwheel-key", "cancelled");
        send("k", "refused");
        await(out, 2);
        shop.awaitCounts(9, 0, 1);
        shop.timers.cancel("kafka", "cancelled").join();

        readAllAgain();

        shop.awaitCounts(0, 9, 1);
        assertThat(state("done")).isEqualTo(TimerState.COMPLETED);
        assertThat(state("cancelled")).isEqualTo(TimerState.CANCELLED);
        assertThat(shop.timers.find("kafka", "waits").join().orElseThrow().version())
                .isEqualTo(3);
        send("k", "five", "x-delay", "0", "tickwheel-key", "done");
        assertThat(await(out, 3).get(2).value()).as("a later one does").isEqualTo(Publisher.bytes("five"));
    }

    private static Set<Thread> producers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("kafka-producer-network-thread"))
                .collect(Collectors.toCollection(HashSet::new));
    }

    /** Each one would have a thread and a connection of its own for as long as the server runs. */
    @Test
    void sourceThatIsClosedLeavesNoProducer() throws Exception {
        shop.closeSource();
        Set<Thread> others = producers();
        shop.open(settings());
        send("k", "v", "x-delay", FAR, "message-id", "a");
        shop.awaitCounts(1, 0, 0);
        Set<Thread> own = producers();
        own.removeAll(others);
        assertThat(own).isNotEmpty();
        shop.closeSource();
        Patience.until(
                "the producer of refused records has ended", () -> own.stream().noneMatch(Thread::isAlive));
    }

    @Test
    void recordsWaitForASourceThatIsClosed() throws Exception {
        shop.closeSource();
        assertThat(shop.source().unready()).contains("is closed");
        send("k", "v", "x-delay", FAR, "message-id", "later");
        assertThat(shop.timers.find("kafka", "later").join()).isEmpty();

        shop.open(settings());
        shop.awaitCounts(1, 0, 0);
        assertThat(state("later")).isEqualTo(TimerState.PENDING);
    }

    /** Whoever has the partition next need not read again what has ended. */
    @Test
    void sourceThatIsClosedCommitsWhatHasEnded() throws Exception {
        shop.closeSource();
        // While its clock stands, no other commit is due.
        shop.begin(settings(), new StandingClock()).awaitReady();
        for (int i = 0; i < 3; i++) {
            send("k", "v", "x-delay", FAR, "message-id", "m" + i);
        }
        shop.awaitCounts(3, 0, 0);
        shop.closeSource();
        send("k", "v", "x-delay", FAR, "message-id", "next");

        shop.open(settings());
        shop.awaitCounts(1, 0, 0);
    }

    private static final class StandingClock implements Clock {

        private final Instant now = Instant.now();

        @Override
        public Instant now() {
            return now;
        }

        @Override
        public long monoNanos() {
            return 0;
        }
    }

    @Test
    void transactionsThatAreGivenUpMakeNoTimer() throws Exception {
        try (Publisher transactional = new Publisher(broker.address(), Map.of("transactional.id", "shop-" + number))) {
            transactional.producer.initTransactions();
            transactional.producer.beginTransaction();
            transactional.send(Publisher.to(in, "k", "never", "x-delay", "0"));
            transactional.producer.abortTransaction();
            transactional.producer.beginTransaction();
            transactional.send(Publisher.to(in, "k", "yes", "x-delay", "0"));
            transactional.producer.commitTransaction();
        }
        assertThat(await(out, 1).get(0).value()).isEqualTo(Publisher.bytes("yes"));
        shop.awaitCounts(1, 0, 0);
    }

    private static String text(ConsumerRecord<byte[], byte[]> record, String header) {
        return new String(record.headers().lastHeader(header).value(), StandardCharsets.UTF_8);
    }
}
