package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.link.Link;
import io.tickwheel.store.redis.link.PassingLink;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** Several nodes on one namespace, driven turn by turn from one thread. */
abstract class NodesScene {

    static final int PARTITIONS = 8;
    static final int KEYS = 40;
    static final long HORIZON_MS = 1_000_000;
    static final long PATIENCE_NANOS = 30_000_000_000L;
    static final AtomicLong NAMESPACES = new AtomicLong();
    static RedisServer server;
    final String namespace = "nodes" + NAMESPACES.incrementAndGet();
    final List<Node> nodes = new ArrayList<>();
    final AtomicLong random = new AtomicLong(1);
    private final Bell bell = new Bell();

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

    static RedisAddress address() {
        return RedisAddress.single("redis://127.0.0.1:" + server.port());
    }

    final class Node implements CalendarListener {

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
                    bell,
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

    static final class Reply<T> implements Answer<T> {

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
    static final class Deaf extends PassingLink {

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

    Node open(String name) {
        return open(name, true);
    }

    Node open(String name, boolean hears) {
        return new Node(name, options(), hears);
    }

    RedisOptions options() {
        return RedisOptions.defaults(address())
                .withNamespace(namespace)
                .withPartitions(PARTITIONS)
                .withLease(Duration.ofMinutes(1));
    }

    /** Gives all nodes turns until it is so. */
    void await(BooleanSupplier condition) {
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
            bell.await();
        }
        throw new AssertionError("it did not become so");
    }

    void awaitQuiet(Node node) {
        await(node.calendar::isQuiet);
    }

    void awaitAllLoaded(int timers) {
        await(() -> nodes.stream()
                        .filter(node -> node.isOpen)
                        .mapToInt(node -> node.loaded.size())
                        .sum()
                == timers);
    }

    /** All partitions have an owner, and every node that is open agrees on who is there. */
    void awaitOwners() {
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

    void expireLeases() {
        Layout layout = new Layout(namespace, Integer.parseInt(writtenPartitions()));
        server.command("DEL", text(layout.homeKey("nodes")), text(layout.homeKey("ids")));
        for (int p = 0; p < layout.partitions; p++) {
            server.command("HSET", text(layout.key(p, "m")), "lease", "0");
            String claims = text(layout.key(p, "f"));
            List<?> claimed = (List<?>) server.command("ZRANGE", claims, "0", "-1");
            claimed.forEach(each -> server.command("ZADD", claims, "0", (String) each));
        }
    }

    static String text(byte[] key) {
        return new String(key, StandardCharsets.UTF_8);
    }

    static List<String> keys() {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            keys.add("k" + i);
        }
        return keys;
    }

    String writtenPartitions() {
        return (String) server.command("HGET", namespace + ":{0}:config", "partitions");
    }
}
