package io.tickwheel.target.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.testkit.MemoryTimerStore;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A broker is killed again and again while a thousand timers a second come due: none is lost, and one comes twice only when its confirmation was on its way at a kill.
 * {@code -Drabbitmq.kills} says how often.
 */
@Tag("full")
@Timeout(1_200)
final class RabbitmqKillTest {

    private static final int KILLS = Integer.getInteger("tickwheel.rabbitmq.kills", 2);
    private static final int TIMERS_A_ROUND = 2_000;
    private static final int AT_ONCE = 100;
    private static final String QUEUE = "ledger";
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @Test
    void noTimerIsLostAndFewComeTwice() throws Exception {
        try (RabbitServer server = RabbitServer.start()) {
            declare(server);
            Target target = new RabbitmqTargetKind()
                    .open(new TargetOptions(
                            Clock.system(),
                            AT_ONCE,
                            Map.of("host", "127.0.0.1", "port", Integer.toString(server.port()))));
            try (Tickwheel timers = Tickwheel.builder(new MemoryTimerStore())
                    .target(RabbitmqTargetKind.NAME, target)
                    .retry(RetryPolicy.fixed(1_000, Duration.ofMillis(200)))
                    .attemptsPerQueue(AT_ONCE)
                    .attemptsInAll(AT_ONCE)
                    .open()) {
                for (int round = 0; round < KILLS; round++) {
                    schedule(timers, round);
                    long left = timers.liveCount() - TIMERS_A_ROUND / 10;
                    Patience.until(LIMIT, "some are delivered", () -> timers.liveCount() < left);
                    server.kill();
                    server.restart();
                }
                Patience.until(LIMIT, "all are delivered", () -> timers.liveCount() == 0);
                schedule(timers, KILLS);
                Patience.until(LIMIT, "the rest is delivered", () -> timers.liveCount() == 0);
            } finally {
                target.close();
            }
            check(messages(server));
        }
    }

    private static void declare(RabbitServer server) throws IOException, TimeoutException {
        try (Connection connection = server.connect();
                Channel channel = connection.createChannel()) {
            channel.queueDeclare(QUEUE, true, false, false, null);
        }
    }

    /** All of a round come due over the next two seconds; its number is the key's beginning. */
    private static void schedule(Tickwheel timers, int round) {
        Destination destination =
                new Destination(RabbitmqTargetKind.NAME, new RabbitmqTargetKind().readSetting(" " + QUEUE));
        for (int i = 0; i < TIMERS_A_ROUND; i++) {
            timers.schedule(TimerRequest.at(
                                    "q", round + "-" + i, Clock.system().now().plusMillis(i))
                            .withDestination(destination))
                    .join();
        }
    }

    private static Map<String, Integer> messages(RabbitServer server) throws IOException, TimeoutException {
        Map<String, Integer> times = new HashMap<>();
        try (Connection connection = server.connect();
                Channel channel = connection.createChannel()) {
            for (GetResponse next = channel.basicGet(QUEUE, true); next != null; next = channel.basicGet(QUEUE, true)) {
                String key = next.getProps().getHeaders().get("tickwheel-key").toString();
                times.merge(key, 1, Integer::sum);
            }
        }
        return times;
    }

    private static void check(Map<String, Integer> times) {
        assertThat(times).hasSize((KILLS + 1) * TIMERS_A_ROUND);
        assertThat(times.values()).allMatch(count -> count <= 1 + KILLS);
        long copies = times.values().stream().mapToLong(count -> count - 1).sum();
        assertThat(copies).isLessThanOrEqualTo((long) KILLS * AT_ONCE);
        assertThat(times)
                .as("without a kill none comes twice")
                .allSatisfy((key, count) -> assertThat(key.startsWith(KILLS + "-") && count > 1)
                        .as("%s came %s times", key, count)
                        .isFalse());
        System.out.println("kills " + KILLS + ", timers " + times.size() + ", lost 0, copies " + copies);
    }
}
