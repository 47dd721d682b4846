package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.store.file.FileTimerStore;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Records with delays of 1 to 5 s come in all the time, while the node and the broker are killed in turn: each comes out at least once, never early, and of one timer.
 * {@code -Dtickwheel.kafka.kills} says how often each is killed.
 */
@Tag("full")
@Timeout(1_800)
final class KafkaSourceKillTest {

    private static final int KILLS = Integer.getInteger("tickwheel.kafka.kills", 1);
    private static final int A_KILL = 2_000;

    @TempDir
    private Path folder;

    @TempDir
    private Path data;

    private Process node;
    private int sent;

    @Test
    void nothingIsLostOverKillsOfNodeAndBroker() throws Exception {
        SplittableRandom random = new SplittableRandom(42);
        try (KafkaBroker broker = new KafkaBroker(folder, KafkaBroker.IMPATIENT)) {
            broker.createTopic("orders.delayed", 4);
            broker.createTopic("orders", 1);
            startNode(broker);
            try (Publisher publisher = new Publisher(broker.address(), Map.of());
                    OutLedger ledger = new OutLedger(broker.address(), "orders")) {
                for (int kill = 0; kill < 2 * KILLS; kill++) {
                    send(publisher, ledger, random);
                    int seen = ledger.read();
                    Patience.until("records come", () -> ledger.read() > seen);
                    send(publisher, ledger, random);
                    if (kill % 2 == 0) {
                        endNode();
                        startNode(broker);
                    } else {
                        broker.kill();
                        broker.start();
                    }
                }
                publisher.producer.flush();
                assertThat(ledger.dueMs).hasSize(sent);
                ledger.await(sent);
                awaitAllCommitted(broker);
                System.out.println("kills " + 2 * KILLS + ", records " + sent + ", copies " + ledger.check());
            } finally {
                endNode();
            }
        }
    }

    @Test
    void brokerThatIsAwayIsToldAndWaitedForAndHoldsUpNoClose() throws Exception {
        try (KafkaBroker broker = new KafkaBroker(folder, KafkaBroker.IMPATIENT);
                DelayShop shop = new DelayShop(broker.address(), FileTimerStore.in(data), timers -> timers)) {
            broker.createTopic("orders.delayed", 1);
            broker.createTopic("orders", 1);
            shop.open(Map.of());
            broker.kill();
            assertThat(Patience.look(shop.source()::unready, Optional::isPresent))
                    .hasValue("no broker of " + broker.address() + " is connected");
            broker.start();
            shop.awaitReady();
            try (Publisher publisher = new Publisher(broker.address(), Map.of());
                    OutLedger ledger = new OutLedger(broker.address(), "orders")) {
                publisher.send(Publisher.to("orders.delayed", "k", "v", "x-delay", "0"));
                ledger.await(1);
            }
            broker.kill();
            shop.closeSource();
            shop.awaitSourceEnded();
        }
    }

    private void send(Publisher publisher, OutLedger ledger, SplittableRandom random) {
        for (int i = 0; i < A_KILL / 2; i++, sent++) {
            String name = "r" + sent;
            int delayMs = random.nextInt(1_000, 5_001);
            ProducerRecord<byte[], byte[]> record =
                    Publisher.to("orders.delayed", name, name, KafkaDelayNode.headers(sent, delayMs));
            var unused = publisher.producer.send(record, (done, failure) -> {
                if (failure == null) {
                    ledger.dueMs.put(name, done.timestamp() + delayMs);
                }
            });
        }
    }

    private static void awaitAllCommitted(KafkaBroker broker) {
        for (int partition = 0; partition < 4; partition++) {
            TopicPartition one = new TopicPartition("orders.delayed", partition);
            OptionalLong end = OptionalLong.of(broker.end(one));
            assertThat(Patience.look(() -> broker.committed("tickwheel", one), end::equals))
                    .isEqualTo(end);
        }
    }

    private void startNode(KafkaBroker broker) throws IOException {
        node = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        KafkaDelayNode.class.getName(),
                        data.toString(),
                        broker.address())
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(new File("target/kafka-delay-node.log")))
                .start();
    }

    private void endNode() throws InterruptedException {
        node.destroyForcibly();
        assertThat(node.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }
}
