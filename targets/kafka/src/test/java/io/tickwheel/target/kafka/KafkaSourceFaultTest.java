package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFullException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.testkit.MemoryTimerStore;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is committed, and what is read again, when timers become durable late, never, or in another order than their records. */
@Tag("outage")
@Timeout(300)
final class KafkaSourceFaultTest {

    @TempDir
    private static Path folder;

    private static KafkaBroker broker;
    private static int number;

    private final HeldTimers held = new HeldTimers();
    private String in;
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
        broker.createTopic(in, 2);
        publisher = new Publisher(broker.address(), Map.of());
        shop = new DelayShop(broker.address(), new MemoryTimerStore(), held::over);
    }

    @AfterEach
    void close() {
        publisher.close();
        shop.close();
    }

    private Map<String, String> settings(String... more) {
        Map<String, String> settings = new HashMap<>(Map.of("topics", in + "=out", "groupId", "group-" + number));
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        return settings;
    }

    /** Sends records {@code FIRST}, {@code FIRST+1} and so on to one partition. */
    private void send(int partition, int first, int end) throws Exception {
        for (int i = first; i < end; i++) {
            var unused = publisher.producer.send(
                    Publisher.in(in, partition, new byte[] {1}, "x-delay", "1h", "message-id", "m" + i));
        }
        publisher.producer.flush();
    }

    private OptionalLong committed(int partition) {
        return broker.committed("group-" + number, new TopicPartition(in, partition));
    }

    private void awaitCommitted(int partition, long offset) {
        assertThat(Patience.look(() -> committed(partition), seen -> seen.equals(OptionalLong.of(offset))))
                .hasValue(offset);
    }

    @Test
    void nothingIsCommittedBehindARecordThatIsNotDurable() throws Exception {
        held.hold(request -> request.key().key().equals("m3"));
        shop.open(settings());
        send(0, 0, 100);
        shop.awaitCounts(99, 0, 0);
        awaitCommitted(0, 3);

        shop.closeSource();
        assertThat(committed(0)).as("nor at the end").hasValue(3);
        held.hold(request -> false);
        shop.open(settings());

        shop.awaitCounts(1, 96, 0);
        awaitCommitted(0, 100);
    }

    /** Such as of a heap that is full: it ends the session, and another one begins. */
    @Test
    void errorIsNotTheEndOfTheSource() throws Exception {
        shop.open(settings());
        held.breakOnce(new OutOfMemoryError("planted"));
        send(0, 0, 100);
        awaitCommitted(0, 100);
    }

    @Test
    void noMoreAreUnderWayThanAllowedAndOtherPartitionsWaitToo() throws Exception {
        held.hold(request -> true);
        shop.open(settings("prefetch", "10"));
        send(0, 0, 500);
        send(1, 500, 1_000);
        Patience.until("ten wait", () -> held.held() == 10);

        held.letGo();

        shop.awaitCounts(1_000, 0, 0);
        assertThat(held.mostHeld()).isEqualTo(10);
        awaitCommitted(0, 500);
        awaitCommitted(1, 500);
    }

    @Test
    void recordWaitsForTheOneBeforeItOfItsKey() throws Exception {
        held.hold(request -> request.content().payload()[0] == 1);
        shop.open(settings());
        publisher.send(Publisher.in(in, 0, new byte[] {1}, "x-delay", "1h", "tickwheel-key", "k"));
        publisher.send(Publisher.in(in, 0, new byte[] {2}, "x-delay", "1h", "tickwheel-key", "k"));
        publisher.send(Publisher.in(in, 0, new byte[] {3}, "x-delay", "1h"));
        Patience.until(
                "a record behind both is durable", () -> shop.source().counts().scheduled() > 0);

        held.letGo();

        shop.awaitCounts(3, 0, 0);
        assertThat(shop.timers.read("kafka", "k").join().orElseThrow().content().payload())
                .isEqualTo(new byte[] {2});
    }

    @Test
    void largeRecordsAreAllRead() throws Exception {
        shop.open(settings());
        byte[] large = new byte[1_000_000];
        for (int i = 0; i < 50; i++) {
            publisher.send(Publisher.in(in, 0, large, "x-delay", "1h"));
        }
        shop.awaitCounts(50, 0, 0);
    }

    @Test
    void storeThatIsFullOrAwayIsTriedAgain() throws Exception {
        int first = 0;
        for (Supplier<RuntimeException> failure : List.<Supplier<RuntimeException>>of(
                () -> new StoreFullException("full"),
                () -> new StoreUnavailableException("away", true),
                () -> new StoreException("broken"),
                () -> new IllegalStateException("closed"))) {
            held.fail(failure);
            shop.open(settings("prefetch", "20"));
            send(0, first, first + 50);
            Patience.until(
                    "records are tried again", () -> shop.source().counts().postponed() > 40);
            assertThat(shop.source().counts().scheduled()).isZero();
            assertThat(committed(0)).isEqualTo(first == 0 ? OptionalLong.empty() : OptionalLong.of(first));
            held.letGo();
            shop.awaitCounts(50, 0, 0);
            first += 50;
            awaitCommitted(0, first);
            shop.closeSource();
        }
    }

    @Test
    void partitionThatIsGivenAwayIsReadByItsNextOwnerFromWhereItWasDurable() throws Exception {
        held.hold(request -> request.key().key().endsWith("3"));
        shop.open(settings());
        send(0, 0, 10);
        send(1, 10, 20);
        shop.awaitCounts(18, 0, 0);
        try (DelayShop other = new DelayShop(broker.address(), new MemoryTimerStore(), timers -> timers)) {
            other.open(settings());
            Patience.until(
                    "the other one has a partition, and what was not durable in it",
                    () -> other.source().counts().scheduled() == 7);
            Patience.until(
                    "it has committed that",
                    () -> List.of(committed(0), committed(1)).contains(OptionalLong.of(10)));
            int given = committed(0).equals(OptionalLong.of(10)) ? 0 : 1;
            awaitCommitted(1 - given, 3);

            held.letGo();

            awaitCommitted(1 - given, 10);
            awaitCommitted(given, 10);
            shop.awaitCounts(19, 0, 0);
            send(given, 20, 30);
            other.awaitCounts(17, 0, 0);
            awaitCommitted(given, 20);
        }
    }

    @Test
    void closeWaitsForNothingThatIsNotDurable() throws Exception {
        held.hold(request -> true);
        shop.open(settings());
        send(0, 0, 10);
        Patience.until("records are under way", () -> held.held() == 10);

        shop.closeSource();

        shop.awaitSourceEnded();
        assertThat(shop.source().unready()).contains("is closed");
        held.letGo();
        assertThat(committed(0)).isEmpty();
        shop.open(settings());
        shop.awaitCounts(0, 10, 0);
        awaitCommitted(0, 10);
    }
}
