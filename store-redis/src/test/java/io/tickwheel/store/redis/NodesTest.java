package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.Answer;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Changed;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFormatException;
import io.tickwheel.store.StoreLockedException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.PassingLink;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Several nodes on one namespace, driven turn by turn from one thread. */
final class NodesTest {

    private static final int PARTITIONS = 8;
    private static final int KEYS = 40;
    private static final long HORIZON_MS = 1_000_000;
    private static final long PATIENCE_NANOS = 30_000_000_000L;
    private static final AtomicLong NAMESPACES = new AtomicLong();

    private static RedisServer server;

    private final String namespace = "nodes" + NAMESPACES.incrementAndGet();
    private final List<Node> nodes = new ArrayList<>();
    private final AtomicLong random = new AtomicLong(1);

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void closeAndVerify() {
        nodes.forEach(Node::close);
        assertThat(RedisVerification.verify(address(), namespace).findings()).isEmpty();
    }

    private static RedisAddress address() {
        return RedisAddress.single("redis://127.0.0.1:" + server.port());
    }

    private final class Node implements CalendarListener {

        final Map<String, PendingTimer> loaded = new LinkedHashMap<>();
        final RedisCalendar calendar;
        private final String name;
        private final Link link;
        boolean isOpen = true;
        final LoadRoom room;
        long nowMs;

        Node(String name, RedisOptions options, boolean hears) {
            this(name, options, hears, 10_000);
        }

        Node(String name, RedisOptions options, boolean hears, int places) {
            room = new LoadRoom(places, places * 1_024L, 0);
            StoreContext context = new StoreContext(
                    Runnable::run,
                    Runnable::run,
                    () -> {},
                    () -> random.addAndGet(0x9e3779b97f4a7c15L),
                    System::nanoTime,
                    nanos -> {});
            this.name = name;
            Link opened = CalendarOpening.link(options, context);
            link = hears ? opened : new Deaf(opened);
            calendar = CalendarOpening.open(options.withNode(name), context, this, link, Duration.ZERO);
            nodes.add(this);
        }

        void turn() {
            calendar.load(nowMs, nowMs + HORIZON_MS, 10_000);
            calendar.work(1_000);
        }

        @Override
        public boolean mayStart(Lane lane) {
            return true;
        }

        @Override
        public LoadRoom room() {
            return room;
        }

        @Override
        public void loaded(PendingTimer timer) {
            assertThat(loaded.put(timer.key().key(), timer)).isNull();
        }

        @Override
        public void unloaded(PendingTimer timer) {
            assertThat(loaded.remove(timer.key().key())).isSameAs(timer);
        }

        Scheduled schedule(String key, long dueAtMs) {
            Reply<Scheduled> reply = new Reply<>();
            calendar.schedule(
                    new ScheduleCommand(
                            new TimerKey("q", key),
                            dueAtMs,
                            key.getBytes(StandardCharsets.UTF_8),
                            OnConflict.REPLACE,
                            0),
                    reply);
            await(() -> reply.result != null);
            return reply.result;
        }

        Cancelled cancel(String key) {
            Reply<Cancelled> reply = new Reply<>();
            calendar.cancel(new TimerKey("q", key), reply);
            await(() -> reply.result != null);
            return reply.result;
        }

        Changed change(ChangeCommand command) {
            Reply<Changed> reply = new Reply<>();
            calendar.change(command, reply);
            await(() -> reply.result != null);
            return reply.result;
        }

        List<ClaimedTimer> claim(String key) {
            List<ClaimedTimer> granted = new ArrayList<>();
            calendar.claim(loaded.get(key), claimed -> {
                loaded.remove(key);
                granted.add(claimed);
            });
            return granted;
        }

        void close() {
            if (isOpen) {
                awaitQuiet(this);
                isOpen = false;
                calendar.close();
            }
        }

        /** Dies without a word; its leases run out at once. */
        void kill() {
            isOpen = false;
            link.close();
            expireLeases();
        }
    }

    private static final class Reply<T> implements Answer<T> {

        private T result;

        @Override
        public void accept(T answered) {
            result = answered;
        }

        @Override
        public void fail(StoreException failure) {
            throw failure;
        }
    }

    /** Hears no hint. */
    private static final class Deaf extends PassingLink {

        Deaf(Link link) {
            super(link);
        }

        @Override
        public void subscribe(String channel, Consumer<String> receiver) {
            // Nothing ever comes.
        }

        @Override
        public boolean hears() {
            return false;
        }
    }

    private Node open(String name) {
        return open(name, true);
    }

    private Node open(String name, boolean hears) {
        return new Node(name, options(), hears);
    }

    private RedisOptions options() {
        return RedisOptions.defaults(address())
                .withNamespace(namespace)
                .withPartitions(PARTITIONS)
                .withLease(Duration.ofMinutes(1));
    }

    /** Gives all nodes turns until it is so. */
    private void await(BooleanSupplier condition) {
        long sinceNanos = System.nanoTime();
        while (System.nanoTime() - sinceNanos < PATIENCE_NANOS) {
            if (condition.getAsBoolean()) {
                return;
            }
            for (Node node : nodes) {
                if (node.isOpen) {
                    node.turn();
                }
            }
            Thread.onSpinWait();
        }
        throw new AssertionError("it did not become so");
    }

    private void awaitQuiet(Node node) {
        await(node.calendar::isQuiet);
    }

    private void awaitAllLoaded(int timers) {
        await(() -> nodes.stream()
                        .filter(node -> node.isOpen)
                        .mapToInt(node -> node.loaded.size())
                        .sum()
                == timers);
    }

    /** All partitions have an owner, and every node that is open agrees on who is there. */
    private void awaitOwners() {
        Layout layout = new Layout(namespace, PARTITIONS);
        await(() -> {
            for (int p = 0; p < PARTITIONS; p++) {
                String owner = (String) server.command("HGET", text(layout.key(p, "m")), "owner");
                if (owner == null || nodes.stream().noneMatch(node -> node.isOpen && owner.equals(node.name))) {
                    return false;
                }
            }
            return nodes.stream()
                    .filter(node -> node.isOpen)
                    .allMatch(node -> node.calendar.load(0, HORIZON_MS, 10_000));
        });
    }

    private void expireLeases() {
        Layout layout = new Layout(namespace, Integer.parseInt(writtenPartitions()));
        server.command("DEL", text(layout.homeKey("nodes")), text(layout.homeKey("ids")));
        for (int p = 0; p < layout.partitions; p++) {
            server.command("HSET", text(layout.key(p, "m")), "lease", "0");
            String claims = text(layout.key(p, "f"));
            List<?> claimed = (List<?>) server.command("ZRANGE", claims, "0", "-1");
            claimed.forEach(each -> server.command("ZADD", claims, "0", (String) each));
        }
    }

    private static String text(byte[] key) {
        return new String(key, StandardCharsets.UTF_8);
    }

    private static List<String> keys() {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            keys.add("k" + i);
        }
        return keys;
    }

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
    void timerCancelledByAnotherNodeIsNotGranted() {
        Node a = open("a");
        await(() -> a.calendar.load(0, HORIZON_MS, 10_000));
        Node b = open("b", false);
        a.schedule("k", 1);
        awaitAllLoaded(1);
        Node owner = a.loaded.isEmpty() ? b : a;
        Node other = owner == a ? b : a;
        assertThat(other.cancel("k").outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        List<ClaimedTimer> granted = owner.loaded.isEmpty() ? List.of() : owner.claim("k");
        await(() -> owner.loaded.isEmpty());
        assertThat(granted).isEmpty();
    }

    /** Nobody tells the owner; what it says of its attempt counts for nothing. */
    @Test
    void attemptThatAnotherNodeCancelsIsTheLastOne() {
        Node a = open("a");
        Node b = open("b");
        awaitOwners();
        a.schedule("k", 1);
        awaitAllLoaded(1);
        Node owner = a.loaded.isEmpty() ? b : a;
        Node other = owner == a ? b : a;
        List<ClaimedTimer> granted = owner.claim("k");
        await(() -> !granted.isEmpty());
        assertThat(other.cancel("k").outcome()).isEqualTo(Cancelled.Outcome.LAST_ATTEMPT_RUNNING);
        assertThat(other.cancel("k").outcome()).isEqualTo(Cancelled.Outcome.LAST_ATTEMPT_RUNNING);
        owner.calendar.retry(granted.get(0).handle(), 2);
        awaitQuiet(owner);
        assertThat(other.cancel("k").outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        assertThat(owner.loaded).isEmpty();
    }

    /** As far as the owner knows it counts. */
    @Test
    void endOfAnAttemptThatAnotherNodeHasCancelledIsToldToCountForNothing() {
        Node a = open("a");
        Node b = open("b");
        awaitOwners();
        for (TimerState outcome : List.of(TimerState.DEAD, TimerState.EXPIRED)) {
            String key = outcome.name();
            a.schedule(key, 1);
            awaitAllLoaded(1);
            Node owner = a.loaded.isEmpty() ? b : a;
            Node other = owner == a ? b : a;
            List<ClaimedTimer> granted = owner.claim(key);
            await(() -> !granted.isEmpty());
            assertThat(other.cancel(key).outcome()).isEqualTo(Cancelled.Outcome.LAST_ATTEMPT_RUNNING);
            List<Boolean> counted = new ArrayList<>();
            owner.calendar.finish(granted.get(0).handle(), outcome, null, counted::add);
            assertThat(counted).isEmpty();
            awaitQuiet(owner);
            assertThat(counted).containsExactly(false);
            assertThat(other.cancel(key).outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        }
    }

    /** It is in flight and not live, however much is remembered of it. */
    @Test
    void lastAttemptOfATimerWithManyAttemptsIsSound() {
        Node a = open("a");
        Node b = open("b");
        awaitOwners();
        a.schedule("k", 1);
        awaitAllLoaded(1);
        Node owner = a.loaded.isEmpty() ? b : a;
        Node other = owner == a ? b : a;
        PastAttempt longest = new PastAttempt(
                1, 2, 3, 4, 503, "x".repeat(PastAttempt.MOST_REASON_BYTES), "y".repeat(PastAttempt.MOST_EXCERPT_BYTES));
        for (int i = 2; i < 12; i++) {
            List<ClaimedTimer> granted = owner.claim("k");
            await(() -> !granted.isEmpty());
            owner.calendar.retry(granted.get(0).handle(), i, longest);
            await(() -> owner.loaded.containsKey("k"));
        }
        List<ClaimedTimer> granted = owner.claim("k");
        await(() -> !granted.isEmpty());
        Cancelled cancelled = other.cancel("k");
        assertThat(cancelled.outcome()).isEqualTo(Cancelled.Outcome.LAST_ATTEMPT_RUNNING);
        assertThat(cancelled.timer().history()).hasSize(PastAttempt.REMEMBERED).containsOnly(longest);
        assertThat(RedisVerification.verify(address(), namespace).findings()).isEmpty();
        owner.calendar.finish(granted.get(0).handle(), TimerState.COMPLETED, longest);
        awaitQuiet(owner);
    }

    @Test
    void timerRescheduledByAnotherNodeIsDeliveredAtItsNewTime() {
        Node a = open("a");
        Node b = open("b");
        awaitOwners();
        a.schedule("k", 1);
        awaitAllLoaded(1);
        Node owner = a.loaded.isEmpty() ? b : a;
        Node other = owner == a ? b : a;
        assertThat(other.change(ChangeCommand.reschedule(new TimerKey("q", "k"), 5))
                        .outcome())
                .isEqualTo(Changed.Outcome.CHANGED);
        await(() -> owner.loaded.containsKey("k") && owner.loaded.get("k").attemptAtMs() == 5);
        List<ClaimedTimer> granted = owner.claim("k");
        await(() -> !granted.isEmpty());
        assertThat(granted.get(0).view().dueAtMs()).isEqualTo(5);
        owner.calendar.finish(granted.get(0).handle(), TimerState.DEAD);
        awaitQuiet(owner);
        assertThat(other.change(ChangeCommand.redrive(new TimerKey("q", "k"), 7))
                        .outcome())
                .isEqualTo(Changed.Outcome.CHANGED);
        await(() -> owner.loaded.containsKey("k") && owner.loaded.get("k").attemptAtMs() == 7);
    }

    @Test
    void timerReplacedByAnotherNodeIsDeliveredAsItIsNow() {
        Node a = open("a");
        Node b = open("b");
        awaitOwners();
        a.schedule("k", 1);
        awaitAllLoaded(1);
        Node owner = a.loaded.isEmpty() ? b : a;
        Node other = owner == a ? b : a;
        assertThat(other.schedule("k", 5).previous()).isEqualTo(Scheduled.Previous.PENDING);
        await(() -> owner.loaded.containsKey("k") && owner.loaded.get("k").attemptAtMs() == 5);
        List<ClaimedTimer> granted = owner.claim("k");
        await(() -> !granted.isEmpty());
        assertThat(granted.get(0).view().version()).isEqualTo(2);
        owner.calendar.finish(granted.get(0).handle(), TimerState.COMPLETED);
        awaitQuiet(owner);
    }

    @Test
    void nodeThatClosesHandsOverAndItsRunningAttemptEnds() {
        Node a = open("a");
        await(() -> a.calendar.load(0, HORIZON_MS, 10_000));
        keys().forEach(key -> a.schedule(key, 1));
        awaitAllLoaded(KEYS);
        List<ClaimedTimer> granted = a.claim("k0");
        await(() -> !granted.isEmpty());
        Node b = open("b");
        awaitOwners();
        a.calendar.handOver();
        await(() -> b.loaded.size() == KEYS - 1);
        assertThat(a.loaded).isEmpty();
        a.calendar.finish(granted.get(0).handle(), TimerState.COMPLETED);
        a.close();
        assertThat(b.cancel("k0").timer().state()).isEqualTo(TimerState.COMPLETED);
    }

    @Test
    void whatADeadNodeHadClaimedIsDeliveredAgain() {
        Node a = open("a");
        await(() -> a.calendar.load(0, HORIZON_MS, 10_000));
        a.schedule("k", 1);
        awaitAllLoaded(1);
        List<ClaimedTimer> first = a.claim("k");
        await(() -> !first.isEmpty());
        PastAttempt failed = new PastAttempt(1, 2, 3, 4, 503, "failed", "come back later");
        a.calendar.retry(first.get(0).handle(), 2, failed);
        awaitAllLoaded(1);
        List<ClaimedTimer> granted = a.claim("k");
        await(() -> !granted.isEmpty());
        a.kill();
        Node b = open("b");
        await(() -> b.loaded.containsKey("k"));
        List<ClaimedTimer> again = b.claim("k");
        await(() -> !again.isEmpty());
        assertThat(again.get(0).view().attempts()).isEqualTo(3);
        assertThat(again.get(0).view().history()).containsExactly(failed);
        List<TimerView> exported = new ArrayList<>();
        RedisExport.read(address(), namespace, (timer, content) -> exported.add(timer));
        assertThat(exported)
                .singleElement()
                .satisfies(timer -> assertThat(timer.history()).containsExactly(failed));
        b.calendar.finish(again.get(0).handle(), TimerState.COMPLETED);
        awaitQuiet(b);
    }

    @Test
    void ownerThatWasStoppedForLongIsFenced() {
        Node stopped = open("a");
        await(() -> stopped.calendar.load(0, HORIZON_MS, 10_000));
        keys().forEach(key -> stopped.schedule(key, 1));
        awaitAllLoaded(KEYS);
        stopped.isOpen = false;
        expireLeases();
        Node b = open("b");
        await(() -> b.loaded.size() == KEYS);
        // It wakes, and still believes that it owns everything.
        List<List<ClaimedTimer>> granted = new ArrayList<>();
        keys().forEach(key -> granted.add(stopped.claim(key)));
        await(() -> {
            stopped.calendar.work(1_000);
            return stopped.loaded.isEmpty();
        });
        assertThat(granted).allMatch(List::isEmpty);
        stopped.isOpen = true;
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

    private String writtenPartitions() {
        return (String) server.command("HGET", namespace + ":{0}:config", "partitions");
    }

    private void writePartitions(String number) {
        server.command("HSET", namespace + ":{0}:config", "partitions", number);
    }
}
