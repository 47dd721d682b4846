package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.testkit.MemoryTimerStore;
import io.tickwheel.testkit.RecordedDelivery;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker that is killed, and one that is so slow that the cluster takes it for dead. */
@Tag("full")
final class KafkaKillTest {

    private static final int KILLS = Integer.getInteger("tickwheel.kafka.kills", 1);
    private static final int PER_SECOND = 1_000;
    private static final int SECONDS_A_KILL = 2;
    private static final int MINUTES = 5;

    @TempDir
    private static Path folder;

    private static KafkaBroker broker;

    @BeforeAll
    static void start() throws Exception {
        broker = new KafkaBroker(folder, KafkaBroker.IMPATIENT);
        broker.createTopic("orders", 4);
    }

    @AfterAll
    static void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    private static Target open(int timeoutMs, int attempts) {
        Map<String, String> settings =
                Map.of("bootstrapServers", broker.address(), "timeoutMs", Integer.toString(timeoutMs));
        return new KafkaTargetKind().open(new TargetOptions(Clock.system(), attempts, settings));
    }

    /** The first requests to a topic are under way when the cluster takes the broker for dead, and soon has it back. */
    @Test
    void brokerThatIsTakenForDeadChangesNoOrderAndHoldsUpNobody() throws Exception {
        for (int round = 0; round < KILLS; round++) {
            String topic = "fenced-" + round;
            broker.createTopic(topic, 4);
            Target target = open(120_000, 100);
            List<RecordedDelivery> outcomes = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                outcomes.add(Attempts.send(target, "t" + i, topic + " customer-" + i % 5));
            }
            broker.suspend();
            assertThat(outcomes.get(0).endsWithin(KafkaBroker.IMPATIENT.plusMillis(500)))
                    .isFalse();
            broker.resume();
            for (RecordedDelivery outcome : outcomes) {
                assertThat(outcome.end()).isEqualTo("acknowledged");
            }
            target.close();
            Ordered.check(broker.read(topic), 500);
        }
    }

    @Test
    void whileTheBrokerIsAwayOneAsksAndTheOthersFailAtOnce() throws Exception {
        Target target = open(3_000, 100);
        try {
            assertThat(Attempts.untilAcknowledged(target, "orders")).isEqualTo("acknowledged");
            broker.kill();

            assertThat(Attempts.send(target, "first", "orders").end()).startsWith("failed: topic orders: Timeout: ");
            RecordedDelivery probe = Attempts.send(target, "probe", "orders");
            for (int i = 0; i < 100; i++) {
                assertThat(Attempts.send(target, "other", "orders").end())
                        .startsWith("failed: topic orders: has been away since ");
            }
            assertThat(probe.isOpen()).isTrue();
            broker.start();

            assertThat(Attempts.untilAcknowledged(target, "orders")).isEqualTo("acknowledged");
            assertThat(Attempts.send(target, "after", "orders").end()).isEqualTo("acknowledged");
        } finally {
            target.close();
        }
    }

    /** The broker is killed again and again while timers come due; a ledger says what has to be in the topic. */
    @Test
    void eachTimerIsInTheTopicAndTwiceOnlyWhenItWasOnItsWayAtAKill() throws Exception {
        broker.createTopic("due", 4);
        int timers = (KILLS + 1) * SECONDS_A_KILL * PER_SECOND;
        CountDownLatch acknowledged = new CountDownLatch(timers);
        List<long[]> outages = new ArrayList<>();
        Target kafka = open(3_000, 10_000);
        AttemptLedger ledger = new AttemptLedger(kafka, acknowledged);
        try (Tickwheel shop = Tickwheel.builder(new MemoryTimerStore())
                .target("kafka", ledger)
                .retry(RetryPolicy.fixed(1_000, Duration.ofMillis(200)))
                .open()) {
            schedule(shop, timers);
            for (int kill = 0; kill < KILLS; kill++) {
                awaitLeft(acknowledged, (long) timers * (KILLS - kill) / (KILLS + 1));
                long killed = ledger.mark();
                broker.kill();
                broker.start();
                outages.add(new long[] {killed, ledger.mark()});
            }
            assertThat(acknowledged.await(MINUTES, TimeUnit.MINUTES))
                    .as("%s left", acknowledged.getCount())
                    .isTrue();
        } finally {
            kafka.close();
        }
        check(broker.read("due"), ledger.mostTimes(outages), timers);
    }

    private static void schedule(Tickwheel shop, int timers) {
        Instant first = Instant.now().plusSeconds(1);
        List<CompletableFuture<?>> scheduled = new ArrayList<>();
        for (int i = 0; i < timers; i++) {
            scheduled.add(shop.schedule(TimerRequest.at("due", "t" + i, first.plusMillis(i * 1_000L / PER_SECOND))
                    .withText("payload " + i)
                    .withDestination(new Destination("kafka", ""))));
        }
        CompletableFuture.allOf(scheduled.toArray(CompletableFuture[]::new)).join();
    }

    private static void awaitLeft(CountDownLatch latch, long left) throws InterruptedException {
        while (latch.getCount() > left) {
            assertThat(latch.await(10, TimeUnit.MILLISECONDS)).isFalse();
        }
    }

    private static void check(
            List<ConsumerRecord<byte[], byte[]>> records, Map<String, Integer> mostTimes, int timers) {
        Map<String, Integer> times = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            String key = new String(record.key(), StandardCharsets.UTF_8);
            assertThat(new String(record.value(), StandardCharsets.UTF_8)).isEqualTo("payload " + key.substring(1));
            times.merge(key, 1, Integer::sum);
        }
        assertThat(times).as("each at least once, and nothing else").hasSize(timers);
        times.forEach((key, count) ->
                assertThat(count).as("how often %s is there", key).isLessThanOrEqualTo(mostTimes.get(key)));
    }
}
