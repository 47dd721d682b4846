package io.tickwheel.target.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.testkit.MemoryTimerStore;
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
import org.apache.rocketmq.client.apis.message.MessageView;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** RocketMQ, all of it, is killed again and again while timers come due; a ledger says what has to be in the topic. */
final class RocketmqKillTest {

    private static final int KILLS = Integer.getInteger("tickwheel.rocketmq.kills", 2);
    private static final int PER_SECOND = Integer.getInteger("tickwheel.rocketmq.rate", 300);
    private static final int SECONDS_A_KILL = 3;
    private static final int MINUTES = 15;

    /** So long that no timer dies while a slow machine starts the broker again and again. */
    private static final Duration BETWEEN_ATTEMPTS = Duration.ofSeconds(1);

    @TempDir
    private Path folder;

    @Test
    @Tag("full")
    void eachTimerIsInTheTopicAtLeastOnceAndTwiceOnlyAroundAKill() throws Exception {
        int timers = (KILLS + 1) * SECONDS_A_KILL * PER_SECOND;
        CountDownLatch acknowledged = new CountDownLatch(timers);
        try (RocketmqBroker broker = new RocketmqBroker(folder, Map.of("orders", "NORMAL"))) {
            Target rocketmq = new RocketmqTargetKind()
                    .open(new TargetOptions(
                            Clock.system(),
                            10_000,
                            Map.of("endpoints", broker.address(), "tls", "false", "timeoutMs", "3000")));
            Target counting = new CountedTarget(rocketmq, acknowledged);
            try (Tickwheel timersOfShop = Tickwheel.builder(new MemoryTimerStore())
                    .target("rocketmq", counting)
                    .retry(RetryPolicy.fixed(RetryPolicy.MAX_ATTEMPTS, BETWEEN_ATTEMPTS))
                    .open()) {
                schedule(timersOfShop, timers);
                List<String> kept = new ArrayList<>();
                for (int kill = 0; kill < KILLS; kill++) {
                    long share = (long) timers * (KILLS - kill) / (KILLS + 1);
                    awaitLeft(acknowledged, share);
                    broker.kill();
                    kept.add("killed with " + acknowledged.getCount() + " left");
                    broker.start();
                }
                assertThat(acknowledged.await(MINUTES, TimeUnit.MINUTES))
                        .as("%s", kept)
                        .isTrue();
            } finally {
                rocketmq.close();
            }
            check(broker.readAll("orders"), timers);
        }
    }

    private static void schedule(Tickwheel shop, int timers) {
        Instant first = Instant.now().plusSeconds(2);
        List<CompletableFuture<?>> scheduled = new ArrayList<>();
        for (int i = 0; i < timers; i++) {
            scheduled.add(shop.schedule(TimerRequest.at("orders", "t" + i, first.plusMillis(i * 1_000L / PER_SECOND))
                    .withText("payload " + i)
                    .withDestination(new Destination("rocketmq", ""))));
        }
        CompletableFuture.allOf(scheduled.toArray(CompletableFuture[]::new)).join();
    }

    private static void awaitLeft(CountDownLatch latch, long left) {
        Patience.until(
                Duration.ofMinutes(MINUTES), "fewer than " + left + " timers are left", () -> latch.getCount() <= left);
    }

    /**
     * In flight at a kill is at most what the engine lets run at once. A broker that is killed while it copies a message into its log keeps
     * the message although the end, where the key is, was not written: RocketMQ has a checksum of the body only. It copies one at a time,
     * and has acknowledged none such.
     */
    private static void check(List<MessageView> messages, int timers) {
        Map<String, Integer> times = new HashMap<>();
        List<MessageView> cutOff = new ArrayList<>();
        for (MessageView message : messages) {
            String body = StandardCharsets.UTF_8.decode(message.getBody()).toString();
            assertThat(body).startsWith("payload ");
            String key = "t" + body.substring("payload ".length());
            if (List.copyOf(message.getKeys()).equals(List.of(key))) {
                times.merge(key, 1, Integer::sum);
            } else {
                cutOff.add(message);
            }
        }
        assertThat(cutOff).as("those without their key").hasSizeLessThanOrEqualTo(KILLS);
        assertThat(times).as("each at least once, and nothing else").hasSize(timers);
        long twice = times.values().stream().filter(count -> count > 1).count();
        assertThat(twice).as("those that came more than once").isLessThanOrEqualTo(KILLS * 2L * PER_SECOND);
    }
}
