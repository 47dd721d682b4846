package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseGoneException;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisCluster;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.redis.testkit.TcpProxy;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Engines on real servers of Redis that lend each other what is due: one of them is asked, and gets it all. */
final class AnyNodeTest {

    /** Also a machine that is busy keeps it. */
    private static final Duration LEASE = Duration.ofSeconds(5);

    /** For nodes that are to lose what they hold. */
    private static final Duration SHORT_LEASE = Duration.ofSeconds(1);

    private static final LeaseRequest POLL =
            LeaseRequest.of("q").withMax(20).withWait(Duration.ofSeconds(5)).withTtl(Duration.ofMinutes(5));
    private static final Pattern PUBLISHED = Pattern.compile("cmdstat_publish:calls=(\\d+)");
    private static final Pattern EVALUATED = Pattern.compile("cmdstat_evalsha:calls=(\\d+)");

    private static RedisServer redis;
    private static int namespaces;

    private final List<Tickwheel> nodes = new ArrayList<>();
    private final String namespace = "any" + ++namespaces;

    @BeforeAll
    static void start() {
        redis = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @AfterEach
    void close() {
        nodes.forEach(Tickwheel::close);
    }

    private Tickwheel open(RedisAddress address) {
        return open(address, new EngineListener() {});
    }

    private Tickwheel open(RedisAddress address, EngineListener listener) {
        return open(address, LEASE, listener);
    }

    private Tickwheel open(RedisAddress address, Duration lease, EngineListener listener) {
        Tickwheel node = Tickwheel.builder(RedisTimerStore.at(address)
                        .withNamespace(namespace)
                        .withPartitions(24)
                        .withLease(lease))
                .retry(RetryPolicy.fixed(100, Duration.ofSeconds(1)))
                .listener(listener)
                .open();
        nodes.add(node);
        return node;
    }

    private Tickwheel open() {
        return open(address());
    }

    private static RedisAddress address() {
        return RedisAddress.single("redis://127.0.0.1:" + redis.port());
    }

    private static RedisAddress address(RedisCluster cluster) {
        return RedisAddress.cluster(cluster.nodes().stream()
                .map(node -> "redis://127.0.0.1:" + node.port())
                .toArray(String[]::new));
    }

    /** Schedules with any node, and polls one only; each lease is acknowledged at any node. */
    private void allComeTo(Tickwheel polled, int timers, byte[] payload) {
        Set<String> expected = new HashSet<>();
        for (int i = 0; i < timers; i++) {
            String key = "k" + i;
            expected.add(key);
            nodes.get(i % nodes.size())
                    .schedule(TimerRequest.after("q", key, Duration.ofMillis(i * 5L))
                            .withPayload(payload))
                    .join();
        }
        List<String> got = new ArrayList<>();
        Patience.until("all have come", () -> {
            for (Lease lease : polled.lease(POLL).join()) {
                assertThat(Arrays.equals(lease.attempt().payload(), payload)).isTrue();
                got.add(lease.attempt().key());
                acknowledge(nodes.get(got.size() % nodes.size()), lease.id());
            }
            return got.size() >= timers;
        });
        assertThat(got).containsExactlyInAnyOrderElementsOf(expected);
        Patience.until(
                "nobody holds anything",
                () -> nodes.stream().allMatch(node -> node.stats().running() == 0));
        for (String key : expected) {
            assertThat(polled.find("q", key).join().orElseThrow().state()).isEqualTo(TimerState.COMPLETED);
        }
    }

    /** Asks again while the outcome is not known, as a consumer has to where nodes wait for each other longer than they want to. */
    private static void acknowledge(Tickwheel node, String id) {
        AtomicBoolean mayBeDone = new AtomicBoolean();
        Patience.until(
                "it is acknowledged",
                () -> node.acknowledge(id)
                        .handle((done, thrown) -> {
                            Throwable failure = thrown instanceof CompletionException ? thrown.getCause() : thrown;
                            if (failure == null || (failure instanceof LeaseGoneException && mayBeDone.get())) {
                                return true;
                            }
                            assertThat(failure).isInstanceOf(StoreUnavailableException.class);
                            mayBeDone.set(true);
                            return false;
                        })
                        .join());
    }

    @Test
    void allThatIsDueComesToTheOneNodeThatIsAsked() {
        open();
        open();
        open();
        allComeTo(nodes.get(1), 240, new byte[] {1});
    }

    /** In a letter it is more than 16 MiB. */
    @Test
    void largestPayloadIsLent() {
        for (int i = 0; i < 2; i++) {
            open();
        }
        byte[] payload = new byte[16 << 20];
        new SplittableRandom(2).nextBytes(payload);
        allComeTo(nodes.get(1), 4, payload);
    }

    @Test
    void clusterPassesMailOnWithItsContents() {
        byte[] payload = new byte[300_000];
        new SplittableRandom(1).nextBytes(payload);
        // No master is to die: on a busy machine one may be silent for a second, and what is lost with its partitions
        // comes after its lease, in minutes.
        try (RedisCluster cluster = RedisCluster.builder()
                .masters(3)
                .nodeTimeout(Duration.ofSeconds(15))
                .start()) {
            for (int i = 0; i < 3; i++) {
                open(address(cluster));
            }
            allComeTo(nodes.get(2), 30, payload);
            close();
            nodes.clear();
        }
    }

    @Test
    void pollGoesOnWaitingWhileThePartitionsMove() {
        Tickwheel a = open();
        Tickwheel b = open();
        List<CompletableFuture<List<Lease>>> polls = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            polls.add(a.lease(POLL.withMax(1).withWait(Duration.ofSeconds(60))));
        }
        Tickwheel c = open();
        for (int i = 0; i < 40; i++) {
            b.schedule("q", "k" + i, Duration.ofMillis(300 + 50L * i)).join();
        }
        // What b owned goes to the others.
        b.close();
        nodes.remove(b);
        Set<String> got = new HashSet<>();
        for (CompletableFuture<List<Lease>> poll : polls) {
            for (Lease lease : poll.join()) {
                got.add(lease.attempt().key());
                c.acknowledge(lease.id()).join();
            }
        }
        assertThat(got).hasSize(40);
    }

    @Test
    void leaseIsEndedAtAnyNode() {
        Tickwheel a = open();
        Tickwheel b = open();
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            a.schedule("q", "k" + i, Duration.ZERO).join();
        }
        Patience.until("all have come", () -> leases.addAll(b.lease(POLL).join()) && leases.size() == 12);
        for (int i = 0; i < 12; i++) {
            Tickwheel node = i % 2 == 0 ? a : b;
            String id = leases.get(i).id();
            String key = leases.get(i).attempt().key();
            node.extend(id, Duration.ofMinutes(10)).join();
            if (i % 4 < 2) {
                node.bury(id, "never").join();
                Patience.until("it is dead", () -> isIn(TimerState.DEAD, key));
            } else {
                node.nack(id, Duration.ofHours(1), "later").join();
                Patience.until("it waits", () -> isIn(TimerState.PENDING, key));
            }
        }
    }

    /** The holder does not know of the cancel before the server has taken the end. */
    @Test
    void leaseOfATimerThatAnotherNodeHasCancelledIsNotToldAsDead() {
        Queue<String> told = new ConcurrentLinkedQueue<>();
        EngineListener listener = new EngineListener() {
            @Override
            public void dead(Attempt attempt, String reason) {
                told.add("dead: " + reason);
            }

            @Override
            public void failed(Attempt attempt, String reason) {
                told.add("failed: " + reason);
            }
        };
        Tickwheel a = open(address(), listener);
        Tickwheel b = open(address(), listener);
        a.schedule("q", "k", Duration.ZERO).join();
        List<Lease> leases = new ArrayList<>();
        Patience.until("it has come", () -> leases.addAll(a.lease(POLL).join()));
        Tickwheel holder = a.stats().running() == 1 ? a : b;
        Tickwheel other = holder == a ? b : a;
        assertThat(other.cancel("q", "k").join().outcome()).isEqualTo(Cancelled.Outcome.LAST_ATTEMPT_RUNNING);
        holder.bury(leases.get(0).id(), "never").join();
        Patience.until("it is told", () -> !told.isEmpty());
        assertThat(told).containsExactly("failed: never");
        assertThat(isIn(TimerState.CANCELLED, "k")).isTrue();
        assertThat(holder.stats().dead()).isZero();
    }

    /** Its holder could not reach Redis for longer than its claim holds. */
    @Test
    void leaseThatSomebodyElseHasIsNotExtended() {
        try (TcpProxy way = TcpProxy.to(redis.port())) {
            Tickwheel a =
                    open(RedisAddress.single("redis://127.0.0.1:" + way.port()), SHORT_LEASE, new EngineListener() {});
            a.schedule("q", "k", Duration.ZERO).join();
            List<Lease> before = new ArrayList<>();
            Patience.until(
                    "it has come", () -> before.addAll(a.lease(POLL.withMax(1)).join()));
            String id = before.get(0).id();
            a.extend(id, Duration.ofMinutes(10)).join();
            way.stall();
            Tickwheel b = open(address(), SHORT_LEASE, new EngineListener() {});
            List<Lease> since = new ArrayList<>();
            Patience.until(
                    "somebody else has it",
                    () -> since.addAll(b.lease(POLL.withMax(1)).join()));
            way.flow();
            Patience.until(
                    "it is told",
                    () -> a.extend(id, Duration.ofMinutes(10))
                            .handle((expiresAt, failure) -> failure instanceof LeaseGoneException)
                            .join());
            b.extend(since.get(0).id(), Duration.ofMinutes(10)).join();
            b.acknowledge(since.get(0).id()).join();
            Patience.until("it is completed", () -> isIn(TimerState.COMPLETED, "k"));
        }
    }

    private boolean isIn(TimerState state, String key) {
        return nodes.get(0).find("q", key).join().orElseThrow().state() == state;
    }

    /** Whatever waits, all that Redis is asked is what it is asked anyway. */
    @Tag("full")
    @Test
    void thousandPollsThatWaitAskRedisForNothing() {
        Tickwheel a = open();
        open();
        open();
        List<CompletableFuture<List<Lease>>> polls = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            polls.add(a.lease(POLL.withWait(Duration.ofSeconds(60))));
        }
        // Partitions that move are told of, until each has its owner.
        Patience.until("nothing is published while nodes ask for what they ask anyway", () -> {
            long published = calls(PUBLISHED);
            long evaluated = calls(EVALUATED);
            Patience.until("they ask", () -> calls(EVALUATED) > evaluated + 300);
            return calls(PUBLISHED) == published;
        });
        assertThat(polls).noneMatch(CompletableFuture::isDone);
    }

    private static long calls(Pattern command) {
        Matcher found = command.matcher(String.valueOf(redis.command("INFO", "commandstats")));
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }
}
