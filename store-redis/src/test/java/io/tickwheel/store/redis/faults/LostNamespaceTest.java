package io.tickwheel.store.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreGoneException;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.RedisNamespace;
import io.tickwheel.store.redis.RedisTimerStore;
import io.tickwheel.store.redis.RedisVerification;
import io.tickwheel.store.redis.layout.Layout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Redis that comes back without what it held: who had it open notices, stops, and says so. */
@Tag("outage")
final class LostNamespaceTest {

    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final byte[] PAYLOAD = {1};
    private static final int PARTITIONS = 16;

    @TempDir
    private Path directory;

    /** It keeps nothing unless it is told to. */
    private RedisServer server = RedisServer.builder().start();

    private final Collection<Tickwheel> nodes = new ArrayList<>();
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();

    @AfterEach
    void stop() {
        nodes.forEach(Tickwheel::close);
        server.close();
    }

    private RedisAddress address() {
        return RedisAddress.single("redis://127.0.0.1:" + server.port());
    }

    private RedisTimerStore store() {
        return RedisTimerStore.at(address()).withPartitions(PARTITIONS).withLease(LEASE);
    }

    private Tickwheel open(RedisTimerStore store) {
        Tickwheel node = Tickwheel.open(store);
        nodes.add(node);
        node.handle("q", attempt -> delivered.add(attempt.key()));
        return node;
    }

    private Tickwheel open() {
        return open(store());
    }

    private List<?> keys() {
        return (List<?>) server.command("KEYS", "*");
    }

    private String config(String field) {
        return String.valueOf(server.command("HGET", "tickwheel:{0}:config", field));
    }

    private void awaitOwners() {
        Layout layout = new Layout("tickwheel", PARTITIONS);
        for (int i = 0; i < PARTITIONS; i++) {
            String meta = Layout.text(layout.key(i, "m"));
            Patience.until("partitions are owned", () -> server.command("HGET", meta, "owner") != null);
        }
    }

    /** Until so many heartbeats of a node have come since. */
    private void awaitHeartbeats() {
        double since = latestHeartbeat();
        Patience.until("its heart beats", () -> latestHeartbeat() > since + 2 * LEASE.toMillis());
    }

    private double latestHeartbeat() {
        List<?> last = (List<?>) server.command("ZRANGE", "tickwheel:{0}:nodes", "-1", "-1", "WITHSCORES");
        return last.isEmpty() ? 0 : Double.parseDouble(String.valueOf(last.get(1)));
    }

    private static void awaitGone(Tickwheel node) {
        Patience.until("the node says that it is gone", () -> node.unready().isPresent());
    }

    private static void awaitGoingOn(Tickwheel node) {
        Patience.until("the node goes on", () -> node.unready().isEmpty());
    }

    private static void assertRefused(CompletableFuture<?> answer) {
        assertThatThrownBy(answer::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        StoreGoneException.class,
                        gone -> assertThat(gone.outcomeUnknown()).isFalse())
                .hasMessageContaining("namespace tickwheel is gone")
                .hasMessageContaining("accept-empty --lost ");
    }

    @Test
    void nothingIsWrittenIntoARedisThatCameBackEmpty() {
        Tickwheel node = open();
        node.schedule("q", "before", HOUR, PAYLOAD).join();
        String id = config("id");
        AtomicBoolean on = new AtomicBoolean(true);
        CompletableFuture<Void> load = CompletableFuture.runAsync(() -> {
            List<CompletableFuture<?>> answers = new ArrayList<>();
            for (int i = 0; on.get(); i++) {
                answers.add(node.schedule("q", "k" + i % 100, HOUR, PAYLOAD).exceptionally(failure -> null));
                if (answers.size() == 50) {
                    answers.forEach(CompletableFuture::join);
                    answers.clear();
                }
            }
        });
        server.kill();
        server.restart();
        awaitGone(node);
        on.set(false);
        load.join();
        assertThat(node.unready().orElseThrow())
                .contains("namespace tickwheel is gone: its id was " + id + ", and the server has none")
                .contains("tickwheel accept-empty --lost " + id);
        assertRefused(node.schedule("q", "after", HOUR, PAYLOAD));
        assertRefused(node.cancel("q", "before"));
        assertRefused(node.find("q", "before"));
        assertRefused(node.queues());
        assertThat(node.liveCount()).isZero();
        assertThat(node.isRunning()).isTrue();
        node.close();
        assertThat(keys()).isEmpty();
    }

    /** The connections stay. */
    @Test
    void allNodesStopWhenEverythingIsDeleted() {
        Tickwheel a = open();
        Tickwheel b = open();
        a.schedule("q", "before", HOUR, PAYLOAD).join();
        awaitOwners();
        // Until no partition is on its way from one node to the other.
        awaitHeartbeats();
        server.command("FLUSHALL");
        awaitGone(a);
        awaitGone(b);
        assertRefused(a.schedule("q", "after", HOUR, PAYLOAD));
        assertRefused(b.schedule("q", "after", HOUR, PAYLOAD));
        a.close();
        b.close();
        assertThat(keys()).isEmpty();
    }

    @Test
    void nodeThatIsOpenedAfterwardsDoesNotBringBackTheOthers() {
        Tickwheel former = open();
        former.schedule("q", "before", HOUR, PAYLOAD).join();
        String lost = config("id");
        server.kill();
        server.restart();
        Tickwheel other = open(store().withPartitions(8));
        other.schedule("q", "mine", HOUR, PAYLOAD).join();
        Patience.until(
                "the node says whose it is now",
                () -> former.unready().orElse("").contains("another one, " + config("id")));
        assertRefused(former.find("q", "mine"));
        awaitHeartbeats();
        assertThat(other.unready()).isEmpty();
        RedisNamespace.acceptEmpty(address(), "tickwheel", lost);
        Patience.until(
                "the node says why it cannot go on",
                () -> former.unready().orElseThrow().contains("has 8 partitions"));
        assertThat(server.command("HLEN", "tickwheel:{0}:ids")).isEqualTo(1L);
        assertThat(other.find("q", "mine").join()).isPresent();
        former.close();
        other.close();
        assertThat(RedisVerification.verify(address(), "tickwheel").findings()).isEmpty();
    }

    @Test
    void nodesGoOnWithWhatAnotherHasWrittenWhenTheLossIsAccepted() {
        Tickwheel former = open();
        String lost = config("id");
        server.kill();
        server.restart();
        Tickwheel other = open();
        other.schedule("q", "due", Duration.ofMillis(300), PAYLOAD).join();
        awaitGone(former);
        String id = config("id");
        assertThat(RedisNamespace.acceptEmpty(address(), "tickwheel", lost)).isEqualTo(id);
        awaitGoingOn(former);
        assertThat(former.find("q", "due").join()).isPresent();
        Patience.until("both share it", () -> Long.valueOf(2).equals(server.command("HLEN", "tickwheel:{0}:ids")));
        former.schedule("q", "late", Duration.ofMillis(300), PAYLOAD).join();
        Patience.until("both are delivered", () -> delivered.containsAll(List.of("due", "late")));
        assertThat(config("id")).isEqualTo(id);
    }

    @Test
    void nodesGoOnWithNothingWhenTheLossIsAccepted() throws Exception {
        Tickwheel a = open();
        Tickwheel b = open();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch free = new CountDownLatch(1);
        a.handle("held", attempt -> {
            running.countDown();
            free.await();
        });
        a.schedule("q", "before", HOUR, PAYLOAD).join();
        Patience.until("it runs", () -> {
            if (running.getCount() > 0) {
                a.schedule("held", "h" + System.nanoTime(), Duration.ZERO, PAYLOAD)
                        .join();
            }
            return running.getCount() == 0;
        });
        String lost = config("id");
        server.kill();
        server.restart();
        awaitGone(a);
        awaitGone(b);
        free.countDown();
        String id = RedisNamespace.acceptEmpty(address(), "tickwheel", lost);
        assertThat(id).isNotEqualTo(lost);
        assertThat(RedisNamespace.acceptEmpty(address(), "tickwheel", lost)).isEqualTo(id);
        awaitGoingOn(a);
        awaitGoingOn(b);
        assertThat(a.find("q", "before").join()).isEmpty();
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            keys.add("k" + i);
            (i % 2 == 0 ? a : b)
                    .schedule("q", "k" + i, Duration.ofMillis(500), PAYLOAD)
                    .join();
        }
        Patience.until("all are delivered", () -> delivered.containsAll(keys));
        assertThat(delivered).hasSize(40);
        assertThat(config("id")).isEqualTo(id);
        assertThat(config("partitions")).isEqualTo("16");
        a.close();
        b.close();
        assertThat(RedisVerification.verify(address(), "tickwheel").findings()).isEmpty();
    }

    @Test
    void whatIsThereIsNotAcceptedAsLost() {
        Tickwheel node = open();
        String id = config("id");
        assertThatThrownBy(() -> RedisNamespace.acceptEmpty(address(), "tickwheel", id))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(id + " is not gone");
        assertThatThrownBy(() -> RedisNamespace.acceptEmpty(address(), "tickwheel", "all"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'all'");
        awaitHeartbeats();
        assertThat(config("id")).isEqualTo(id);
        assertThat(node.unready()).isEmpty();
    }

    @Test
    void dataThatComeBackNeedNoWord() throws IOException {
        Tickwheel node = open();
        node.schedule("q", "kept", HOUR, PAYLOAD).join();
        awaitOwners();
        server.command("SAVE");
        server.kill();
        Path dump = server.directory().resolve("dump.rdb");
        Path backup = directory.resolve("backup.rdb");
        Files.move(dump, backup);
        server.restart();
        awaitGone(node);
        server.kill();
        Files.copy(backup, dump);
        server.restart();
        awaitGoingOn(node);
        assertThat(node.find("q", "kept").join()).isPresent();
    }

    /** It takes its time to read what it has, and answers meanwhile that it does. */
    @Test
    void redisThatIsLoadingIsNotEmpty() {
        server.close();
        server = RedisServer.builder()
                .config("key-load-delay", "2000")
                .config("rdbcompression", "no")
                .config("loading-process-events-interval-bytes", "1024")
                .start();
        Tickwheel node = open();
        node.schedule("q", "kept", Duration.ofSeconds(1), PAYLOAD).join();
        server.command("EVAL", "for i = 1, 500 do redis.call('SET', 'other' .. i, string.rep('x', 4096)) end", "0");
        server.command("SAVE");
        List<String> said = new ArrayList<>();
        AtomicBoolean on = new AtomicBoolean(true);
        CompletableFuture<Void> watch = CompletableFuture.runAsync(() -> Patience.until("it is told", () -> {
            node.unready().ifPresent(said::add);
            return !on.get();
        }));
        server.kill();
        server.restart();
        node.schedule("q", "after", Duration.ZERO, PAYLOAD).join();
        Patience.until("all is delivered", () -> delivered.containsAll(List.of("kept", "after")));
        on.set(false);
        watch.join();
        assertThat(said).isEmpty();
    }

    @Test
    void redisThatIsFullIsNotEmpty() {
        Tickwheel node = open();
        node.schedule("q", "kept", HOUR, PAYLOAD).join();
        server.command("CONFIG", "SET", "maxmemory", "1");
        server.command("CLIENT", "KILL", "TYPE", "normal");
        awaitHeartbeats();
        assertThat(node.unready()).isEmpty();
        assertThat(node.find("q", "kept").join()).isPresent();
        server.command("CONFIG", "SET", "maxmemory", "0");
        node.schedule("q", "after", HOUR, PAYLOAD).join();
    }

    /** As a failover may do with the first heartbeat of a node that opens a namespace of long ago. */
    @Test
    void idThatIsForgottenIsWrittenAgain() {
        Tickwheel a = open();
        Tickwheel b = open();
        a.schedule("q", "kept", HOUR, PAYLOAD).join();
        String id = config("id");
        server.command("HDEL", "tickwheel:{0}:config", "id");
        server.command("CLIENT", "KILL", "TYPE", "normal");
        Patience.until("the id is there again", () -> config("id").equals(id));
        awaitHeartbeats();
        assertThat(a.unready()).isEmpty();
        assertThat(b.unready()).isEmpty();
    }

    /** All at once, as it goes: while some of it is there, it is not gone. */
    private void deletePartition(int partition) {
        String tag = Layout.text(new Layout("tickwheel", PARTITIONS).key(partition, ""));
        server.command(Stream.concat(
                        Stream.of("DEL"),
                        ((List<?>) server.command("KEYS", tag + "*")).stream().map(String::valueOf))
                .toArray(String[]::new));
    }

    /** Its owner was gone by then: that it was ever there stands in the settings alone. */
    @Test
    void partitionThatIsGoneIsToldByWhoeverTakesItOver() {
        Tickwheel before = open();
        before.schedule("q", "kept", HOUR, PAYLOAD).join();
        Patience.until("all partitions are made for good", () -> config("made").equals("1".repeat(PARTITIONS)));
        String id = config("id");
        before.close();
        deletePartition(3);
        Tickwheel after = open();
        awaitGone(after);
        assertThat(after.unready().orElseThrow())
                .contains("partition 3 is not there")
                .contains("--lost " + id);
        RedisNamespace.acceptEmpty(address(), "tickwheel", id);
        awaitGoingOn(after);
        Patience.until(
                "it has read what is set of queues",
                () -> after.schedule("q", "first", HOUR, PAYLOAD)
                        .handle((made, failure) -> failure == null)
                        .join());
        for (int i = 0; i < 40; i++) {
            after.schedule("q", "k" + i, Duration.ZERO, PAYLOAD).join();
        }
        Patience.until("all are delivered", () -> delivered.size() == 40);
        assertThat(after.unready()).isEmpty();
    }

    /** Of a single partition, as where a master of a cluster comes back empty. */
    @Test
    void partitionThatIsGoneStopsAllNodes() {
        Tickwheel a = open();
        Tickwheel b = open();
        for (int i = 0; i < 100; i++) {
            a.schedule("q", "k" + i, HOUR, PAYLOAD).join();
        }
        awaitOwners();
        awaitHeartbeats();
        String id = config("id");
        deletePartition(3);
        awaitGone(a);
        awaitGone(b);
        assertThat(a.unready().orElseThrow())
                .contains("partition 3 is not there")
                .contains("--lost " + id);
        assertThatThrownBy(() -> open()).isInstanceOf(StoreException.class).hasMessageContaining("lost partition 3");
        RedisNamespace.acceptEmpty(address(), "tickwheel", id);
        awaitGoingOn(a);
        awaitGoingOn(b);
        long left = a.queues().join().get(0).pending();
        assertThat(left).isBetween(60L, 99L);
        for (int i = 0; i < 100; i++) {
            b.schedule("q", "k" + i, Duration.ZERO, PAYLOAD).join();
        }
        Patience.until("all are delivered", () -> delivered.size() == 100);
    }
}
