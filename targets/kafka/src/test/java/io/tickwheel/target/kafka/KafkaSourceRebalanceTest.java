package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.RedisTimerStore;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two engines that share a group and their timers, while one comes and goes: with real brokers and a real Redis. */
@Tag("full")
@Timeout(300)
final class KafkaSourceRebalanceTest {

    private static final int PART = 1_000;

    @TempDir
    private Path folder;

    private int sent;

    @Test
    void partitionsThatGoToAndFroLoseNothingAndMakeNoSecondTimer() throws Exception {
        HeldTimers held = new HeldTimers();
        try (RedisServer redis = RedisServer.builder().start();
                KafkaBroker broker = new KafkaBroker(folder, KafkaBroker.PATIENT)) {
            broker.createTopic("orders.delayed", 4);
            broker.createTopic("orders", 1);
            RedisTimerStore store = RedisTimerStore.at(RedisAddress.single("redis://127.0.0.1:" + redis.port()));
            try (Publisher publisher = new Publisher(broker.address(), Map.of());
                    OutLedger ledger = new OutLedger(broker.address(), "orders");
                    DelayShop first = new DelayShop(broker.address(), store, held::over);
                    DelayShop second = new DelayShop(broker.address(), store, timers -> timers)) {
                first.open(Map.of());
                send(publisher, ledger);
                held.hold(request -> true);
                send(publisher, ledger);
                Patience.until("the first one has much under way", () -> held.held() == 500);
                second.open(Map.of());
                Patience.until(
                        "the second one has read what the first one was at",
                        () -> second.source().counts().scheduled() > 0);
                held.letGo();
                send(publisher, ledger);
                first.closeSource();
                send(publisher, ledger);
                first.open(Map.of());
                send(publisher, ledger);

                ledger.await(5 * PART);
                assertThat(ledger.check()).as("came more than once").isZero();
                assertThat(second.source().counts().refused()).isZero();
            }
        }
    }

    /** A third has an id, a third a key, a third nothing. */
    private void send(Publisher publisher, OutLedger ledger) {
        for (int i = 0; i < PART; i++, sent++) {
            String name = "r" + sent;
            String[] headers = KafkaDelayNode.headers(sent, 500 + sent % 1_000);
            var unused = publisher.producer.send(Publisher.to("orders.delayed", name, name, headers), (done, e) -> {
                if (e == null) {
                    note(ledger, name, done, headers);
                }
            });
        }
        publisher.producer.flush();
    }

    private static void note(OutLedger ledger, String name, RecordMetadata done, String... headers) {
        ledger.dueMs.put(name, done.timestamp() + Long.parseLong(headers[1]));
    }
}
