package io.tickwheel.target.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import io.tickwheel.redis.testkit.Patience;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Ten thousand messages of 1 to 15 s from a publisher that was written for the plugin, while the node and the broker are killed in turn: each comes at least once and never
 * early, and the one that is cancelled by its key does not come. Prints how late they came. {@code -Drabbitmq.kills} says how often, 2 by default, and {@code -Drabbitmq.seconds} how
 * long the longest is.
 */
@Tag("full")
@Timeout(1_200)
final class DelayProofTest {

    private static final int MESSAGES = 10_000;
    private static final int LONGEST_MS = 1_000 * Integer.getInteger("tickwheel.rabbitmq.seconds", 15);
    private static final int KILLS = Integer.getInteger("tickwheel.rabbitmq.kills", 2);

    private static final String CANCELLED = "CANCELLED";
    private static final File NODE_LOG = new File("target/delay-node.log");

    @TempDir
    private Path folder;

    private final Map<String, Long> dueMs = new HashMap<>();
    private final Map<String, Long> cameMs = new HashMap<>();
    private int copies;
    private Process node;

    @Test
    void nothingIsLostOverKillsOfNodeAndBroker() throws Exception {
        try (RabbitServer server = RabbitServer.start()) {
            startNode(server);
            try {
                publish(server);
                cancel("m0");
                for (int kill = 0; kill < KILLS; kill++) {
                    int seen = cameMs.size();
                    // One is enough: who reads more slowly than they come would read until there are no more.
                    Patience.until("messages come", () -> read(server, 1) && cameMs.size() > seen);
                    if (kill % 2 == 0) {
                        endNode();
                        startNode(server);
                    } else {
                        server.kill();
                        server.restart();
                    }
                }
                Patience.until(
                        Duration.ofMinutes(5),
                        "all have come",
                        () -> read(server, MESSAGES) && cameMs.size() >= MESSAGES - 1);
            } finally {
                endNode();
            }
            assertThat(cameMs.keySet()).hasSize(MESSAGES - 1).doesNotContain("m0");
        }
        long[] late = cameMs.entrySet().stream()
                .mapToLong(came -> came.getValue() - dueMs.get(came.getKey()))
                .sorted()
                .toArray();
        assertThat(late[0]).as("never early").isGreaterThanOrEqualTo(0);
        System.out.println("kills " + KILLS + ", messages " + late.length + ", copies " + copies + ", lateness p50 "
                + late[late.length / 2] + " ms, p99 " + late[late.length * 99 / 100] + " ms, most "
                + late[late.length - 1] + " ms");
    }

    private void startNode(RabbitServer server) throws IOException {
        node = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        DelayNode.class.getName(),
                        folder.toString(),
                        Integer.toString(server.port()))
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(NODE_LOG))
                .start();
        Patience.until("the node takes messages in", () -> {
            try (Connection connection = server.connect();
                    Channel channel = connection.createChannel()) {
                return channel.queueDeclarePassive("tickwheel").getConsumerCount() > 0;
            } catch (IOException | TimeoutException e) {
                return false;
            }
        });
    }

    private void endNode() throws InterruptedException {
        node.destroyForcibly();
        assertThat(node.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }

    /** Again until the message is a timer, and durably none: what is asked of a node just before its end may come to nothing. */
    private void cancel(String key) {
        long before = cancelled();
        Patience.until(key + " is cancelled", () -> {
            ask(key);
            return cancelled() > before;
        });
    }

    private void ask(String key) {
        try {
            node.getOutputStream().write((key + "\n").getBytes(StandardCharsets.UTF_8));
            node.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How often nodes have said so, in this run and in former ones. */
    private static long cancelled() {
        try (Stream<String> lines = Files.lines(NODE_LOG.toPath())) {
            return lines.filter(CANCELLED::equals).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void publish(RabbitServer server) throws Exception {
        SplittableRandom random = new SplittableRandom(42);
        try (Connection connection = server.connect();
                Channel channel = connection.createChannel()) {
            channel.confirmSelect();
            channel.exchangeDeclare("shop", "topic", true);
            channel.queueDeclare("mails", true, false, false, null);
            channel.queueBind("mails", "shop", "mail.#");
            for (int i = 0; i < MESSAGES; i++) {
                int delayMs = i == 0 ? LONGEST_MS : random.nextInt(1_000, LONGEST_MS + 1);
                BasicProperties properties = new BasicProperties.Builder()
                        .messageId("m" + i)
                        .deliveryMode(2)
                        .headers(Map.of("x-delay", delayMs))
                        .build();
                dueMs.put("m" + i, System.currentTimeMillis() + delayMs);
                channel.basicPublish("shop.delayed", "mail.x", properties, new byte[] {1});
            }
            channel.waitForConfirmsOrDie(60_000);
        }
    }

    /** Reads what has come, or so many; the moment is that of the read, which only adds to the lateness. */
    private boolean read(RabbitServer server, int most) {
        try (Connection connection = server.connect();
                Channel channel = connection.createChannel()) {
            for (int i = 0; i < most; i++) {
                GetResponse next = channel.basicGet("mails", false);
                if (next == null) {
                    break;
                }
                String id = next.getProps().getMessageId();
                if (cameMs.putIfAbsent(id, System.currentTimeMillis()) != null) {
                    copies++;
                }
                channel.basicAck(next.getEnvelope().getDeliveryTag(), false);
            }
            return true;
        } catch (IOException | TimeoutException | ShutdownSignalException e) {
            return false;
        }
    }
}
