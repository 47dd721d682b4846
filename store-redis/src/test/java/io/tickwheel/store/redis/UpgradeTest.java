package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.Lane;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.StoreFormatException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the scripts of layout 1 have written, kept in {@code layout-1.txt}, is opened, found, delivered, changed and verified. Each
 * line of that file is a key with one of its fields or members and what that has; {@code %xx} is a byte, and {@code x*n*} stands for
 * n times the same one.
 */
final class UpgradeTest {

    private static final long NOW_MS = DrivenNode.NOW_MS;
    private static final long FAR_MS = 4_102_444_800_000L;
    private static final Pattern TEXT = Pattern.compile("(?<byte>%[0-9a-f]{2}|[^%*])(\\*(?<times>\\d+)\\*)?");
    private static final String HOME = "golden:{0}:";

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void restore() throws IOException {
        server.command("FLUSHALL");
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(UpgradeTest.class.getResourceAsStream("layout-1.txt")),
                StandardCharsets.UTF_8))) {
            lines.lines().map(line -> line.split(" ", -1)).forEach(UpgradeTest::restore);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        // As if it had been written long ago.
        server.command("DEL", HOME + "nodes");
        Layout layout = new Layout("golden", 4);
        for (int p = 0; p < 4; p++) {
            server.command("HSET", Text.string(layout.key(p, "m")), "lease", "0");
            for (Object claimed : (List<?>) server.command("ZRANGE", Text.string(layout.key(p, "f")), "0", "-1")) {
                server.command("ZADD", Text.string(layout.key(p, "f")), "0", (String) claimed);
            }
        }
    }

    private static void restore(String... words) {
        String name = text(words[2]);
        String value = text(words[3]);
        if (words[0].equals("hash")) {
            server.command(StandardCharsets.ISO_8859_1, "HSET", words[1], name, value);
        } else {
            server.command(StandardCharsets.ISO_8859_1, "ZADD", words[1], value, name);
        }
    }

    private static String text(String written) {
        StringBuilder text = new StringBuilder();
        Matcher each = TEXT.matcher(written);
        while (each.find()) {
            String one = each.group("byte");
            String character = one.length() == 1 ? one : String.valueOf((char) Integer.parseInt(one.substring(1), 16));
            String times = each.group("times");
            text.append(character.repeat(times == null ? 1 : Integer.parseInt(times)));
        }
        return text.toString();
    }

    private static RedisAddress address() {
        return RedisAddress.single("redis://127.0.0.1:" + server.port());
    }

    private static DrivenNode open(Set<Lane> blocked) {
        RedisOptions options = RedisOptions.defaults(address())
                .withNamespace("golden")
                .withPartitions(4)
                .withNode("new")
                .withLease(Duration.ofMinutes(1));
        return new DrivenNode(options, DrivenNode.roomFor(1_000), blocked, link -> link);
    }

    private static DrivenNode open() {
        return open(Set.of());
    }

    private static TimerView find(DrivenNode node, String key) {
        List<TimerView> found = node.ask(answer -> node.calendar.find(new TimerKey("q", key), answer));
        return found.get(0);
    }

    private static void assertStands(DrivenNode node, String key, TimerState state, long dueAtMs, int attempts) {
        TimerView view = find(node, key);
        assertThat(view.state()).as(key).isEqualTo(state);
        assertThat(view.dueAtMs()).as(key).isEqualTo(dueAtMs);
        assertThat(view.attemptAtMs()).as(key).isEqualTo(dueAtMs);
        assertThat(view.attempts()).as(key).isEqualTo(attempts);
    }

    private static void assertSound() {
        assertThat(RedisVerification.verify(address(), "golden").findings()).isEmpty();
    }

    @Test
    void everythingIsThere() {
        try (DrivenNode node = open(Set.of(new Lane("q", Lane.UNKNOWN_ROUTE)))) {
            assertThat(server.command("HGET", HOME + "config", "format")).isEqualTo("3");
            assertStands(node, "near0", TimerState.PENDING, NOW_MS - 500_000, 0);
            assertStands(node, "near7", TimerState.PENDING, NOW_MS + 200_000, 0);
            assertStands(node, "far2", TimerState.PENDING, FAR_MS + 20_000_000, 0);
            assertStands(node, "retried", TimerState.PENDING, NOW_MS - 3_000, 2);
            assertStands(node, "retriedFar", TimerState.PENDING, FAR_MS, 1);
            assertStands(node, "dead", TimerState.DEAD, NOW_MS - 2_000, 1);
            assertStands(node, "completed", TimerState.COMPLETED, NOW_MS - 2_000, 1);
            assertStands(node, "expired", TimerState.EXPIRED, NOW_MS - 2_000, 1);
            assertStands(node, "cancelled", TimerState.CANCELLED, NOW_MS - 2_000, 0);
            assertStands(node, "inserted3", TimerState.PENDING, NOW_MS - 997, 0);
            assertThat(find(node, "replaced").version()).isEqualTo(2);
            TimerPage page = node.ask(answer -> node.calendar.list(TimerQuery.of("q"), answer));
            assertThat(page.timers()).hasSize(21);
            List<QueueCounts> counts = node.ask(node.calendar::queues);
            assertThat(counts).contains(new QueueCounts("größe", 1, 0, 0));
            DueCounts due = node.ask(
                    answer -> node.calendar.countDue(new DueCountQuery("q", NOW_MS - 600_000, 600_000, 2), answer));
            assertThat(due.counts()).containsExactly(13L, 3L);
        }
        assertSound();
    }

    @Test
    void everythingIsDelivered() {
        Map<String, ClaimedTimer> delivered = new TreeMap<>();
        try (DrivenNode node = open()) {
            node.nowMs = NOW_MS + 300_000;
            node.await(() -> {
                node.claimAll(claimed -> {
                    delivered.put(claimed.view().key().key(), claimed);
                    node.calendar.finish(claimed.handle(), TimerState.COMPLETED);
                });
                return delivered.size() >= 17;
            });
            node.awaitLoaded();
            assertThat(node.calendar.liveCount()).isEqualTo(4);
        }
        Set<String> expected = new TreeSet<>(Set.of("replaced", "large", "schlüssel", "retried", "claimed"));
        for (int i = 0; i < 8; i++) {
            expected.add("near" + i);
        }
        for (int i = 0; i < 4; i++) {
            expected.add("inserted" + i);
        }
        assertThat(delivered.keySet()).isEqualTo(expected);
        assertThat(delivered.get("large").content()).hasSize(5_000).containsOnly('f');
        assertThat(delivered.get("large").handle().contentBytes()).isGreaterThanOrEqualTo(5_000);
        assertThat(delivered.get("near3").content()).isEqualTo("fffffffffffff".getBytes(StandardCharsets.US_ASCII));
        assertThat(delivered.get("near3").handle().lane()).isEqualTo(new Lane("q", Lane.UNKNOWN_ROUTE));
        assertThat(delivered.get("claimed").view().attempts()).isEqualTo(2);
        assertThat(delivered.get("retried").view().attempts()).isEqualTo(3);
        assertSound();
    }

    @Test
    void everythingCanBeChanged() {
        try (DrivenNode node = open()) {
            for (String key : List.of("near0", "far0", "retriedFar", "inserted0")) {
                Cancelled cancelled = node.ask(answer -> node.calendar.cancel(new TimerKey("q", key), answer));
                assertThat(cancelled.outcome()).as(key).isEqualTo(Cancelled.Outcome.CANCELLED);
            }
            for (String key : List.of("near1", "far1", "inserted1", "dead", "completed")) {
                node.schedule(new Lane("q", 9), key, NOW_MS - 100);
            }
            node.awaitAnswers();
            node.await(() -> node.loaded.containsKey("retried") && node.loaded.containsKey("near2"));
            node.calendar.retry(node.claim("retried").handle(), NOW_MS - 50);
            node.calendar.release(node.claim("near2").handle());
            node.calendar.reroute(node.claim("near3").handle(), Lane.QUEUE_ROUTE);
            node.calendar.reroute(node.claim("near4").handle(), 9);
            node.await(() -> List.of("near1", "far1", "inserted1", "dead", "completed", "near4", "near3").stream()
                    .allMatch(node.loaded::containsKey));
            assertThat(node.loaded.get("near1").lane()).isEqualTo(new Lane("q", 9));
            assertThat(node.loaded.get("near4").lane()).isEqualTo(new Lane("q", 9));
            assertThat(node.loaded.get("near3").lane()).isEqualTo(new Lane("q", Lane.QUEUE_ROUTE));
            assertThat(find(node, "retried").dueAtMs())
                    .as("of the last attempt, for no more is known")
                    .isEqualTo(NOW_MS - 3_000);
            assertThat(find(node, "retried").attemptAtMs()).isEqualTo(NOW_MS - 50);
        }
        assertSound();
    }

    @Test
    void everythingCanBeRescheduledRedrivenAndPurged() {
        Lane unknown = new Lane("q", Lane.UNKNOWN_ROUTE);
        PastAttempt past = new PastAttempt(3, NOW_MS, 1, 2, 500, "answered 500", "no");
        try (DrivenNode node = open()) {
            for (String key : List.of("near0", "far0", "retriedFar")) {
                assertChanged(node, ChangeCommand.reschedule(new TimerKey("q", key), NOW_MS - 30));
            }
            assertChanged(node, ChangeCommand.redrive(new TimerKey("q", "dead"), NOW_MS - 40));
            node.await(() -> List.of("near0", "far0", "retriedFar", "dead", "retried").stream()
                    .allMatch(node.loaded::containsKey));
            assertThat(node.loaded.get("far0").lane()).isEqualTo(unknown);
            assertThat(node.loaded.get("dead").lane()).isEqualTo(unknown);
            assertStands(node, "retriedFar", TimerState.PENDING, NOW_MS - 30, 1);
            assertStands(node, "dead", TimerState.PENDING, NOW_MS - 40, 0);
            node.calendar.retry(node.claim("retried").handle(), NOW_MS - 3_000, past);
            node.calendar.finish(node.claim("dead").handle(), TimerState.DEAD, past);
            node.calendar.finish(node.claim("near0").handle(), TimerState.COMPLETED, past);
            for (String key : List.of("retried", "dead", "near0")) {
                assertThat(find(node, key).history()).as(key).containsExactly(past);
            }
            node.await(() -> node.loaded.containsKey("retried"));
            assertThat(node.loaded.get("retried").lane()).isEqualTo(unknown);
            assertChanged(node, ChangeCommand.purge(new TimerKey("q", "dead")));
            List<TimerView> found = node.ask(answer -> node.calendar.find(new TimerKey("q", "dead"), answer));
            assertThat(found).isEmpty();
        }
        assertSound();
    }

    private static void assertChanged(DrivenNode node, ChangeCommand command) {
        Changed changed = node.ask(answer -> node.calendar.change(command, answer));
        assertThat(changed.outcome()).as("%s", command.key()).isEqualTo(Changed.Outcome.CHANGED);
    }

    @Test
    void nothingIsCarriedOverWhileANodeOfTheFormerVersionIsAlive() {
        String nowMs = ((List<?>) server.command("TIME")).get(0) + "000";
        server.command("ZADD", HOME + "nodes", nowMs, "older", nowMs, "newer");
        server.command("HSET", HOME + "ids", "older", "78dde6e5fd29f07e", "newer", "3:78dde6e5fd29f07e");
        assertThatThrownBy(UpgradeTest::open)
                .isInstanceOf(StoreFormatException.class)
                .hasMessageContaining(
                        "golden has format 1, and nodes of an older version are running: stop them first: older");
        assertThat(server.command("HGET", HOME + "config", "format")).isEqualTo("1");
        server.command("ZADD", HOME + "nodes", "1", "older");
        open().close();
        assertThat(server.command("HGET", HOME + "config", "format")).isEqualTo("3");
    }

    /** Its nodes would not know a timer whose last attempt runs. */
    @Test
    void layout2IsCarriedOverWhenNoneOfItsNodesIsAlive() {
        server.command("HSET", HOME + "config", "format", "2");
        String nowMs = ((List<?>) server.command("TIME")).get(0) + "000";
        server.command("ZADD", HOME + "nodes", nowMs, "older");
        server.command("HSET", HOME + "ids", "older", "2:78dde6e5fd29f07e");
        assertThatThrownBy(UpgradeTest::open)
                .isInstanceOf(StoreFormatException.class)
                .hasMessageContaining("golden has format 2, and nodes of an older version are running")
                .hasMessageEndingWith(": older");
        assertSound();
        server.command("ZADD", HOME + "nodes", "1", "older");
        open().close();
        assertThat(server.command("HGET", HOME + "config", "format")).isEqualTo("3");
    }

    @Test
    void nodesOfThisVersionAreToldFromOthers() {
        try (DrivenNode node = open()) {
            node.turn();
            assertThat((String) server.command("HGET", HOME + "ids", "new")).startsWith("3:");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "4", "10", "two"})
    void otherFormatsAreRefused(String other) {
        server.command("HSET", HOME + "config", "format", other);
        assertThatThrownBy(UpgradeTest::open)
                .isInstanceOf(StoreFormatException.class)
                .hasMessage("namespace golden has format " + other + ", this version reads format 3");
    }

    @Test
    void formerFormatIsVerifiedAndExportedAsItIs() {
        assertSound();
        List<TimerView> exported = new ArrayList<>();
        RedisExport.read(address(), "golden", (timer, content) -> exported.add(timer));
        assertThat(exported).hasSize(22);
        assertThat(server.command("HGET", HOME + "config", "format")).isEqualTo("1");
    }
}
