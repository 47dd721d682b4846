package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.server.RunningServer.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What applications do with timers, in shorter times, over HTTP with two servers on one Redis. */
final class RedisUseCasesTest {

    private static RedisServer redis;

    private final String namespace = RedisNodes.freshNamespace();
    private RunningServer a;
    private RunningServer b;
    private Receiver receiver;

    @BeforeAll
    static void startRedis() {
        redis = RedisServer.builder().start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @BeforeEach
    void start() {
        a = RedisNodes.startCalm(redis, namespace);
        b = RedisNodes.startCalm(redis, namespace);
        receiver = new Receiver();
    }

    @AfterEach
    void stop() {
        receiver.close();
        a.close();
        b.close();
    }

    private String body(String due) {
        return "{" + due + ",\"target\":{\"url\":\"" + receiver.url("/") + "\"}}";
    }

    /**
     * A message is sent again every 15 seconds, here 400 ms, until it is acknowledged, three times at most: one timer for each
     * message, put again at each sending and cancelled by the acknowledgement.
     */
    @Test
    void messageIsSentAgainUntilItIsAcknowledged() throws InterruptedException {
        // What is acknowledged must not be due before, however slow this machine is.
        String soon = body("\"delay\":\"200ms\"");
        String later = body("\"delay\":\"1h\"");
        int messages = 30;
        for (int i = 0; i < messages; i++) {
            assertThat(a.put("resend", "m" + i, i % 3 == 0 ? later : soon).status())
                    .isEqualTo(201);
            // A third is acknowledged at once, on the other node; a third after it came again; the others never.
            if (i % 3 == 0) {
                assertThat(b.delete("resend", "m" + i).field("outcome")).isEqualTo("CANCELLED");
            }
        }
        Map<String, Integer> sendings = new HashMap<>();
        Set<String> givenUp = new TreeSet<>();
        Set<String> acknowledged = new TreeSet<>();
        while (givenUp.size() + acknowledged.size() < 2 * messages / 3) {
            String message = receiver.next().headers().get("Tickwheel-Key");
            int sending = sendings.merge(message, 1, Integer::sum);
            if (sending == 3) {
                givenUp.add(message);
                continue;
            }
            boolean isAcknowledged = Integer.parseInt(message.substring(1)) % 3 == 1;
            assertThat(a.put("resend", message, isAcknowledged ? later : soon).status())
                    .isIn(200, 201);
            if (isAcknowledged) {
                assertThat(b.delete("resend", message).field("outcome")).isEqualTo("CANCELLED");
                acknowledged.add(message);
            }
        }
        assertThat(sendings.keySet()).noneMatch(message -> Integer.parseInt(message.substring(1)) % 3 == 0);
        assertThat(acknowledged).hasSize(messages / 3).allMatch(message -> sendings.get(message) == 1);
        assertThat(givenUp).hasSize(messages / 3).allMatch(message -> sendings.get(message) == 3);
        for (String message : givenUp) {
            assertThat(b.await("resend", message, reply -> reply.field("state").equals("COMPLETED"))
                            .field("version"))
                    .isEqualTo("3");
        }
        assertThat(a.live()).isZero();
        assertThat(receiver.waiting()).isZero();
    }

    /** An order that is not paid within 30 minutes, here a second, is closed. */
    @Test
    void unpaidOrderIsClosed() throws InterruptedException {
        int orders = 20;
        Set<String> unpaid = new TreeSet<>();
        for (int i = 0; i < orders; i++) {
            // What is paid must not be due before, however slow this machine is.
            String delay = i % 2 == 0 ? "1h" : "1s";
            a.put("close-order", "order-" + i, body("\"delay\":\"" + delay + "\",\"payload\":{\"order\":" + i + "}"));
            if (i % 2 == 0) {
                assertThat(b.delete("close-order", "order-" + i).field("outcome"))
                        .isEqualTo("CANCELLED");
            } else {
                unpaid.add("{\"order\":" + i + "}");
            }
        }
        Set<String> closed = new TreeSet<>();
        for (int i = 0; i < unpaid.size(); i++) {
            closed.add(receiver.next().body());
        }
        assertThat(closed).isEqualTo(unpaid);
        assertThat(receiver.waiting()).isZero();
        Reply paidLate = b.delete("close-order", "order-1");
        while (paidLate.field("outcome").equals("LAST_ATTEMPT_RUNNING")) {
            // Its receiver was told, and the answer is on its way.
            assertThat(paidLate.status()).isEqualTo(202);
            paidLate = b.delete("close-order", "order-1");
        }
        assertThat(paidLate.status()).isEqualTo(409);
        assertThat(paidLate.field("outcome")).isEqualTo("TOO_LATE");
        assertThat(Patience.look(a::live, live -> live == 0)).isZero();
    }

    /** What nobody has rated 48 hours after it was bought is rated by itself; a timer so far ahead is stored, not loaded. */
    @Test
    void purchaseIsRatedByItselfAfter48Hours() throws InterruptedException {
        Instant due = Instant.now().plus(Duration.ofDays(2));
        for (int i = 0; i < 10; i++) {
            assertThat(a.put("auto-rate", "purchase-" + i, body("\"delay\":\"48h\""))
                            .status())
                    .isEqualTo(201);
        }
        String between = "?dueFrom=" + due.minusSeconds(60) + "&dueTo=" + due.plusSeconds(60);
        assertThat(b.get("/v1/queues/auto-rate/timers" + between).body().split("\"state\":\"PENDING\"", -1))
                .hasSize(11);
        // An hour may end between two of them, or before they are counted.
        List<Long> hours = counts(b.get("/v1/queues/auto-rate/load?bucket=1h&buckets=50"));
        assertThat(hours.subList(0, 47)).containsOnly(0L);
        assertThat(hours.subList(47, 50).stream().mapToLong(Long::longValue).sum())
                .isEqualTo(10);
        // Rated by hand: cancelled.
        assertThat(b.delete("auto-rate", "purchase-0").field("outcome")).isEqualTo("CANCELLED");
        // The time comes: here it is moved.
        Instant soon = Instant.now().plusMillis(500);
        Reply moved = b.put("auto-rate", "purchase-1", body("\"dueAt\":\"" + soon + "\""));
        assertThat(moved.field("previous")).isEqualTo("PENDING");
        Receiver.Arrival rated = receiver.next();
        assertThat(rated.headers()).containsEntry("Tickwheel-Key", "purchase-1");
        assertThat(rated.headers()).containsEntry("webhook-id", moved.field("id"));
        assertThat(rated.arrived()).isAfterOrEqualTo(soon.minusMillis(1));
        assertThat(a.await(
                                "auto-rate",
                                "purchase-1",
                                reply -> reply.field("state").equals("COMPLETED"))
                        .field("attempts"))
                .isEqualTo("1");
        assertThat(a.live()).isEqualTo(8);
        assertThat(receiver.waiting()).isZero();
    }

    private static List<Long> counts(Reply load) {
        String listed = load.body().replaceFirst("^.*\"counts\":\\[(.*)]}$", "$1");
        return Stream.of(listed.split(",", -1)).map(Long::valueOf).toList();
    }
}
