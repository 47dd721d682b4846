package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFormatException;
import io.tickwheel.store.StoreLockedException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.redis.layout.Layout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Nodes that share a namespace: who has which partition, and which timers are loaded. */
final class NodesTest extends NodesScene {

    @Test
    void nodesShareThePartitionsAndEachTakesEveryCommand() {
        Node a = open("a");
        Node b = open("b");
        awaitOwners();
        keys().forEach(key -> a.schedule(key, 1));
        awaitAllLoaded(KEYS);
        assertThat(a.loaded).isNotEmpty();
        assertThat(b.loaded).isNotEmpty();
        keys().forEach(key -> assertThat(b.cancel(key).outcome()).isEqualTo(Cancelled.Outcome.CANCELLED));
    }

    /** Its partitions come to it one by one: what it needs for one, the timers of the others do not wait for. */
    @Test
    void nodeThatJoinsTakesItsPartitionsInSteps() {
        Node a = open("a");
        keys().forEach(key -> a.schedule(key, 1));
        awaitAllLoaded(KEYS);
        Layout layout = new Layout(namespace, PARTITIONS);
        int most = keys().stream()
                .collect(Collectors.groupingBy(
                        key -> layout.partition(Layout.field(new TimerKey("q", key))), Collectors.counting()))
                .values()
                .stream()
                .mapToInt(Long::intValue)
                .max()
                .orElseThrow();
        Node b = open("b");
        AtomicInteger before = new AtomicInteger(KEYS);
        await(() -> {
            // In each turn those of one partition.
            assertThat(a.loaded.size()).isGreaterThanOrEqualTo(before.getAndSet(a.loaded.size()) - most);
            return b.calendar.load(0, HORIZON_MS, 10_000);
        });
        assertThat(b.loaded.size()).as("more than two partitions have").isGreaterThan(2 * most);
    }

    @Test
    void timerDueSoonIsFoundThoughEveryHintIsLost() {
        Node a = open("a", false);
        await(() -> a.calendar.load(0, HORIZON_MS, 10_000));
        Node b = open("b", false);
        // The heartbeat that tells a of b comes only after a quarter of the lease: until then a owns all.
        keys().forEach(key -> b.schedule(key, 1));
        awaitAllLoaded(KEYS);
        assertThat(a.loaded).hasSize(KEYS);
    }

    @Test
    void freshTimerDoesNotWaitBehindABacklogOfManySlices() {
        long sliceMs = 1 << 16;
        Node node = new Node("a", options().withPartitions(1), true, 20);
        node.nowMs = 200 * sliceMs;
        List<String> old = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            old.add("old" + i);
            node.schedule("old" + i, i * sliceMs);
        }
        node.schedule("fresh", node.nowMs + 1);
        await(() -> node.loaded.containsKey("fresh"));
        assertThat(node.room.taken()).as("as much as a lane may have").isLessThan(10);
        List<String> came = new ArrayList<>();
        await(() -> {
            deliver(node, came);
            return came.size() == 101;
        });
        came.remove("fresh");
        assertThat(came).isEqualTo(old);
    }

    @Test
    void everyTimerIsLoadedThoughItsQueueIsFullAgainAndAgain() {
        long sliceMs = 1 << 16;
        Node node = new Node("a", options().withPartitions(1), true, 16);
        node.nowMs = 200 * sliceMs;
        int timers = 200;
        for (int i = 0; i < timers / 2; i++) {
            node.schedule("old" + i, i * sliceMs);
            node.schedule("fresh" + i, node.nowMs - 300 + i);
        }
        List<String> delivered = new ArrayList<>();
        await(() -> {
            deliver(node, delivered);
            return delivered.size() == timers;
        });
        assertThat(node.room.taken()).isZero();
    }

    /** Claims and ends what is loaded. */
    private static void deliver(Node node, List<String> delivered) {
        for (String key : List.copyOf(node.loaded.keySet())) {
            PendingTimer timer = node.loaded.get(key);
            if (timer.attachment() == null) {
                timer.attach(key);
                node.calendar.claim(timer, claimed -> {
                    node.loaded.remove(key);
                    node.calendar.finish(claimed.handle(), TimerState.COMPLETED);
                    delivered.add(key);
                });
            }
        }
    }

    @Test
    void moreTimersOfOneMomentThanACallCanSeeAreAllLoaded() {
        Node node = new Node("a", options().withPartitions(1), true);
        int timers = 5_000;
        AtomicLong answered = new AtomicLong();
        for (int i = 0; i < timers; i++) {
            node.calendar.schedule(
                    new ScheduleCommand(new TimerKey("q", "k" + i), 7, new byte[0], OnConflict.REPLACE, 0),
                    new Answer<>() {
                        @Override
                        public void accept(Scheduled result) {
                            answered.incrementAndGet();
                        }

                        @Override
                        public void fail(StoreException failure) {
                            throw failure;
                        }
                    });
        }
        await(() -> answered.get() == timers);
        node.kill();
        Node next = new Node("b", options().withPartitions(1), true);
        List<String> delivered = new ArrayList<>();
        await(() -> {
            deliver(next, delivered);
            return delivered.size() == timers;
        });
    }

    @Test
    void secondNodeOfANameIsRefused() {
        open("a");
        assertThatThrownBy(() -> open("a"))
                .isInstanceOf(StoreLockedException.class)
                .hasMessageContaining("name a ");
    }

    @Test
    void firstCommandOfANodeThatWaitedForAnotherLeaseIsTaken() {
        open("a").close();
        List<?> time = (List<?>) server.command("TIME");
        server.command("ZADD", namespace + ":{0}:nodes", time.get(0) + "000", "killed");
        server.command("HSET", namespace + ":{0}:ids", "killed", "3:1");
        server.command("HSET", namespace + ":{0}:config", "lease", "1500");
        Node next = new Node("b", options().withLease(Duration.ofSeconds(1)), true);
        assertThat(next.schedule("k", HORIZON_MS).outcome()).isEqualTo(Scheduled.Outcome.CREATED);
    }

    @Test
    void otherNumberOfPartitionsIsRefused() {
        open("a");
        assertThatThrownBy(() -> new Node("b", options().withPartitions(9), true))
                .isInstanceOf(StoreFormatException.class)
                .hasMessageContaining("8 partitions")
                .hasMessageContaining("not with 9");
    }

    @Test
    void whoIsToldNoNumberOfPartitionsTakesThoseThatThereAre() {
        open("a");
        Node untold = new Node("b", RedisOptions.defaults(address()).withNamespace(namespace), true);
        assertThat(untold.calendar.layout.partitions).isEqualTo(PARTITIONS);
    }

    @Test
    void newNamespaceGets64Partitions() {
        Node untold = new Node("a", RedisOptions.defaults(address()).withNamespace(namespace), true);
        assertThat(untold.calendar.layout.partitions).isEqualTo(64);
        assertThat(writtenPartitions()).isEqualTo("64");
    }

    @Test
    void numberOfPartitionsThatCannotBeIsNotTaken() {
        open("a");
        writePartitions("1025");
        assertThatThrownBy(() -> new Node("b", RedisOptions.defaults(address()).withNamespace(namespace), true))
                .isInstanceOf(StoreFormatException.class)
                .hasMessageContaining("'1025' partitions, must be 1 to 1024");
        writePartitions(Integer.toString(PARTITIONS));
    }

    private void writePartitions(String number) {
        server.command("HSET", namespace + ":{0}:config", "partitions", number);
    }
}
