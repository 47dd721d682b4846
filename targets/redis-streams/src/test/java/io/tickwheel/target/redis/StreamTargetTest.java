package io.tickwheel.target.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.tickwheel.engine.Target;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.testkit.RecordedDelivery;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Deliveries to one real server, and what it may answer. */
final class StreamTargetTest {

    private static final byte[] NOTHING = {};

    @Test
    void entryHasTheMetadataTheHeadersAndThePayload() throws Exception {
        try (RedisServer redis = RedisServer.builder().start()) {
            Target target = Streams.open(redis);
            byte[] payload = new byte[256];
            for (int i = 0; i < payload.length; i++) {
                payload[i] = (byte) i;
            }
            Map<String, String> headers = new LinkedHashMap<>();
            headers.put("X-Trace", "9");
            headers.put("payload", "of the sender");
            RecordedDelivery delivery = new RecordedDelivery();
            target.deliver(Streams.attempt("* orders", payload, headers, true), delivery);
            assertThat(delivery.end()).isEqualTo("acknowledged");
            assertThat(delivery.answer()).matches("0 \\d+-\\d+");
            assertThat(Streams.entries(redis, "orders")).hasSize(1);
            String key = new String("order/7 ü".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
            assertThat(Streams.entries(redis, "orders").get(0))
                    .containsExactly(
                            entry("tickwheel-id", "id-1"),
                            entry("tickwheel-queue", "bills"),
                            entry("tickwheel-key", key),
                            entry("tickwheel-version", "3"),
                            entry("tickwheel-attempt", "2"),
                            entry("tickwheel-due-at", "2026-11-20T15:04:05.100Z"),
                            entry("tickwheel-attempt-at", "2026-11-20T15:04:15.100Z"),
                            entry("tickwheel-lateness-ms", "10012"),
                            entry("content-type", "text/plain"),
                            entry("ce-specversion", "1.0"),
                            entry("ce-id", "id-1"),
                            entry("ce-source", "/tickwheel/queues/bills"),
                            entry("ce-type", "io.tickwheel.timer"),
                            entry("ce-subject", key),
                            entry("ce-time", "2026-11-20T15:04:05.100Z"),
                            entry("X-Trace", "9"),
                            entry("payload", new String(payload, StandardCharsets.ISO_8859_1)));
            target.close();
        }
    }

    @Test
    void streamIsThatOfTheQueueWithoutANameAndAnEmptyPayloadIsAField() throws Exception {
        try (RedisServer redis = RedisServer.builder().start()) {
            Target target = Streams.open(redis);
            RecordedDelivery delivery = new RecordedDelivery();
            target.deliver(Streams.attempt("* ", NOTHING, Map.of(), false), delivery);
            assertThat(delivery.end()).isEqualTo("acknowledged");
            assertThat(delivery.answer()).isEmpty();
            assertThat(Streams.entries(redis, "bills"))
                    .hasSize(1)
                    .allMatch(fields -> fields.get("payload").isEmpty());
            target.close();
        }
    }

    @Test
    void streamIsCutAtItsLength() throws Exception {
        try (RedisServer redis =
                RedisServer.builder().config("stream-node-max-entries", "10").start()) {
            Target target = Streams.open(redis);
            for (int i = 0; i < 24; i++) {
                assertThat(Streams.deliver(target, "=5 exact")).isEqualTo("acknowledged");
                assertThat(Streams.deliver(target, "~5 about")).isEqualTo("acknowledged");
                assertThat(Streams.deliver(target, "* all")).isEqualTo("acknowledged");
            }
            assertThat(redis.command("XLEN", "exact")).isEqualTo(5L);
            assertThat((Long) redis.command("XLEN", "about")).isEqualTo(14L);
            assertThat(redis.command("XLEN", "all")).isEqualTo(24L);
            target.close();
        }
    }

    /** Behind its name there may be another one already, which a connection that is kept never comes to. */
    @Test
    void connectionToAServerThatIsNoMasterAnyMoreIsGivenUp() throws Exception {
        try (RedisServer redis = RedisServer.builder().start()) {
            Target target = Streams.open(redis);
            assertThat(Streams.deliver(target, "* s")).isEqualTo("acknowledged");
            String connection = writers(redis);
            assertThat(connection).isNotEmpty();
            redis.command("REPLICAOF", "127.0.0.1", "1");
            assertThat(Streams.deliver(target, "* s")).startsWith("failed: READONLY ");
            Patience.until(
                    "the connection is another one", () -> !writers(redis).equals(connection));
            redis.command("REPLICAOF", "NO", "ONE");
            assertThat(Streams.deliver(target, "* s")).isEqualTo("acknowledged");
            target.close();
        }
    }

    /** The numbers of the connections whose last command was to add an entry. */
    private static String writers(RedisServer redis) {
        return String.valueOf(redis.command("CLIENT", "LIST"))
                .lines()
                .filter(line -> line.contains(" cmd=xadd "))
                .map(line -> line.substring(0, line.indexOf(' ')))
                .collect(Collectors.joining(" "));
    }

    @Test
    void entriesComeInTheOrderOfDeliveries() throws Exception {
        try (RedisServer redis = RedisServer.builder().start()) {
            Target target = Streams.open(redis);
            List<RecordedDelivery> deliveries = new ArrayList<>();
            List<String> sent = new ArrayList<>();
            // The first of them wait for the connection.
            for (int i = 0; i < 2_000; i++) {
                RecordedDelivery delivery = new RecordedDelivery();
                deliveries.add(delivery);
                sent.add(Integer.toString(i));
                target.deliver(
                        Streams.attempt(
                                "* s", Integer.toString(i).getBytes(StandardCharsets.US_ASCII), Map.of(), false),
                        delivery);
                if (i == 500) {
                    assertThat(delivery.end()).isEqualTo("acknowledged");
                }
            }
            for (RecordedDelivery delivery : deliveries) {
                assertThat(delivery.end()).isEqualTo("acknowledged");
            }
            assertThat(Streams.entries(redis, "s"))
                    .extracting(fields -> fields.get("payload"))
                    .containsExactlyElementsOf(sent);
            target.close();
        }
    }

    @Test
    void whatNoAttemptCanDeliverIsRejected() throws Exception {
        try (RedisServer redis = RedisServer.builder().start()) {
            Target target = Streams.open(redis);
            redis.command("SET", "orders", "a string");
            assertThat(Streams.deliver(target, "* orders")).startsWith("rejected: WRONGTYPE ");
            assertThat(Streams.deliver(target, "orders")).isEqualTo("rejected: the address is of no stream");
            RecordedDelivery ours = new RecordedDelivery();
            target.deliver(Streams.attempt("* s", NOTHING, Map.of("tickwheel-id", "mine"), false), ours);
            assertThat(ours.end()).startsWith("rejected: header tickwheel-id is the sender's");
            target.close();
        }
    }

    @Test
    void fullServerFailsTheAttemptUntilItHasRoom() throws Exception {
        try (RedisServer redis = RedisServer.builder().start()) {
            Target target = Streams.open(redis);
            redis.command("CONFIG", "SET", "maxmemory", "1");
            assertThat(Streams.deliver(target, "* s")).startsWith("failed: OOM ");
            redis.command("CONFIG", "SET", "maxmemory", "0");
            assertThat(Streams.deliver(target, "* s")).isEqualTo("acknowledged");
            target.close();
        }
    }

    @Test
    void withoutThePasswordAttemptsFailWithTheReasonAndWithItTheyDoNot() throws Exception {
        try (RedisServer redis = RedisServer.builder().password("canary").start()) {
            Target without = Streams.open(redis);
            assertThat(reason(without, "NOAUTH ")).startsWith("failed: Redis is away: NOAUTH ");
            without.close();
            Target wrong = Streams.open(redis, "password", "canary2");
            assertThat(reason(wrong, "WRONGPASS "))
                    .startsWith("failed: Redis is away: WRONGPASS ")
                    .doesNotContain("canary");
            wrong.close();
            Target right = Streams.open(redis, "password", "canary");
            assertThat(Streams.deliver(right, "* s")).isEqualTo("acknowledged");
            right.close();
        }
    }

    /** Seldom the client only says of a connection that it was closed while it was set up: then the next one is asked why. */
    private static String reason(Target target, String code) {
        return Patience.look(() -> ended(target), outcome -> outcome.contains(code));
    }

    @Test
    void serverThatIsNoMasterFailsTheAttemptUntilItIsOneAgain() throws Exception {
        try (RedisServer redis = RedisServer.builder().start()) {
            Target target = Streams.open(redis);
            assertThat(Streams.deliver(target, "* s")).isEqualTo("acknowledged");
            redis.command("REPLICAOF", "127.0.0.1", "1");
            assertThat(Streams.deliver(target, "* s")).startsWith("failed: READONLY ");
            redis.command("REPLICAOF", "NO", "ONE");
            Patience.until("delivered again", () -> delivered(target));
            target.close();
        }
    }

    @Test
    void serverThatIsAwayFailsAttemptsAtOnceUntilItIsBack() throws Exception {
        try (RedisServer redis =
                RedisServer.builder().config("appendonly", "yes").start()) {
            redis.kill();
            Target target = Streams.open(redis);
            assertThat(Streams.deliver(target, "* s")).startsWith("failed: Redis is away: ");
            redis.restart();
            Patience.until("delivered again", () -> delivered(target));
            redis.kill();
            Patience.until("seen to be away", () -> !delivered(target));
            redis.restart();
            Patience.until("delivered again", () -> delivered(target));
            target.close();
        }
    }

    @Test
    void serverThatAnswersNothingFailsTheAttemptWhenItsTimeIsOver() throws Exception {
        try (RedisServer redis = RedisServer.builder().start()) {
            Target target = Streams.open(redis, "timeoutMs", "300");
            // It takes longer to connect on a machine that is busy.
            Patience.until("delivered", () -> delivered(target));
            redis.pause();
            assertThat(Streams.deliver(target, "* s")).startsWith("failed: XADD. Command timed out after 300 milli");
            // An attempt that comes while the connection is being closed is told that.
            Patience.until("known to be away", () -> ended(target).startsWith("failed: Redis is away: "));
            redis.resume();
            Patience.until("delivered again", () -> delivered(target));
            target.close();
        }
    }

    /** Each attempt adds an entry, so that many would fill the stream. */
    @Test
    void entryThatTooFewReplicasHaveIsNotDeliveredAndHasReachedNobody() throws Exception {
        try (RedisServer redis = RedisServer.builder().start()) {
            Target target = Streams.open(redis, "timeoutMs", "1000", "replicas", "1");
            RecordedDelivery delivery =
                    Patience.look(() -> attempt(target), each -> each.end().startsWith("failed: only "));
            assertThat(delivery.end()).isEqualTo("failed: only 0 replicas of 1 have it");
            assertThat(delivery.hasReached()).isFalse();
            try (RedisServer replica = RedisServer.builder()
                    .config("replicaof", "127.0.0.1 " + redis.port())
                    .start()) {
                Patience.until("delivered with a replica", () -> delivered(target));
                assertThat(replica.command("EXISTS", "s")).isEqualTo(1L);
            }
            target.close();
        }
    }

    @Test
    void serverThatIsAwayOrSilentIsNotReachedAndOneThatRefusesIs() throws Exception {
        try (RedisServer redis = RedisServer.builder().start()) {
            Target target = Streams.open(redis, "timeoutMs", "300");
            redis.command("CONFIG", "SET", "maxmemory", "1");
            Patience.until("refused", () -> hasReached(target));
            redis.pause();
            assertThat(hasReached(target)).isFalse();
            redis.resume();
            redis.kill();
            assertThat(hasReached(target)).isFalse();
            target.close();
        }
    }

    private static boolean hasReached(Target target) {
        RecordedDelivery delivery = attempt(target);
        assertThat(delivery.end()).startsWith("failed: ");
        return delivery.hasReached();
    }

    private static RecordedDelivery attempt(Target target) {
        RecordedDelivery delivery = new RecordedDelivery();
        target.deliver(Streams.attempt("* s", new byte[] {1}, Map.of(), false), delivery);
        return delivery;
    }

    @Test
    void timersOfAllStreamsWaitForTheServerTogether() {
        try (RedisServer redis = RedisServer.builder().start()) {
            Target target = Streams.open(redis);
            assertThat(target.route("* a")).isEqualTo("servers").isEqualTo(target.route("~5 b"));
            target.close();
        }
    }

    private static boolean delivered(Target target) {
        return ended(target).equals("acknowledged");
    }

    private static String ended(Target target) {
        try {
            return Streams.deliver(target, "* s");
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
