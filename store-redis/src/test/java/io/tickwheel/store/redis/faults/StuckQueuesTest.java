package io.tickwheel.store.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.RedisVerification;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * One node beside queues without a handler, and some whose handlers hang: a queue that is well gets on, and a stuck one that gets a
 * handler is delivered at once. {@code -Dtickwheel.stuck.queues=1000 -Dtickwheel.stuck.timers=10000 -Dtickwheel.stuck.seconds=60
 * -Dtickwheel.stuck.burst=50000} is the long form, which takes some gigabytes of memory in Redis; it says how late timers came.
 */
final class StuckQueuesTest {

    private static final int STUCK = Integer.getInteger("tickwheel.stuck.queues", 30);
    private static final int TIMERS = Integer.getInteger("tickwheel.stuck.timers", 100);
    private static final int SECONDS = Integer.getInteger("tickwheel.stuck.seconds", 1);
    private static final int BURST = Integer.getInteger("tickwheel.stuck.burst", 500);
    private static final int HANGING = 2;
    private static final int PARTITIONS = 256;
    private static final int ATTEMPTS_PER_QUEUE = 32;
    private static final int ATTEMPTS = 128;
    private static final int PER_SECOND = 200;
    private static final int UNDER_WAY = 4_096;
    private static final long AHEAD_MS = 500;
    private static final long HOUR_MS = 3_600_000;
    private static final long PATIENCE_MS = 60_000 + TIMERS * 10L;
    private static final String WELL = "well";

    private final CountDownLatch freed = new CountDownLatch(1);
    private final Map<String, AtomicInteger> delivered = new ConcurrentHashMap<>();
    private final Queue<Long> latenessMs = new ConcurrentLinkedQueue<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private RedisServer server;

    @BeforeEach
    void start() {
        server = RedisServer.builder().start();
    }

    @AfterEach
    void stop() {
        freed.countDown();
        server.close();
    }

    private Tickwheel open(String namespace) {
        NodeSetup setup = NodeSetup.single(server.port(), namespace, PARTITIONS).named("n");
        return Tickwheel.builder(setup.store())
                .attemptsPerQueue(ATTEMPTS_PER_QUEUE)
                .attemptsInAll(ATTEMPTS)
                .open();
    }

    @Test
    void queueThatIsWellGetsOnBesideThoseThatAreNot() throws InterruptedException {
        long aloneMs;
        try (Tickwheel node = open("alone")) {
            node.handle(WELL, this::deliver);
            warm(node);
            steady(node, "alone");
            aloneMs = burst(node, "alone");
        }
        assertThat(count(WELL)).isEqualTo(1 + PER_SECOND * SECONDS + BURST);
        delivered.clear();
        latenessMs.clear();
        try (Tickwheel node = open("crowd")) {
            long sinceMs = System.currentTimeMillis();
            fill(node);
            say("scheduled " + STUCK * (long) TIMERS + " timers in " + (System.currentTimeMillis() - sinceMs) + " ms");
        }
        try (Tickwheel node = open("crowd")) {
            for (int i = 0; i < HANGING; i++) {
                node.handle("hanging" + i, this::hang);
            }
            node.handle(WELL, this::deliver);
            warm(node);
            steady(node, "beside");
            say("a burst took " + aloneMs + " ms alone and " + burst(node, "beside") + " ms beside them");
            assertThat(count(WELL)).isEqualTo(1 + PER_SECOND * SECONDS + BURST);
            for (int i = 0; i < HANGING; i++) {
                assertThat(count("hanging" + i)).isBetween(1, ATTEMPTS_PER_QUEUE);
            }
            assertThat(delivered).hasSize(1 + HANGING);
            long sinceMs = System.currentTimeMillis();
            String freedQueue = "stuck" + STUCK / 2;
            node.handle(freedQueue, this::deliver);
            await(freedQueue, TIMERS);
            say("the " + TIMERS + " timers of a stuck queue came in " + (System.currentTimeMillis() - sinceMs)
                    + " ms after it got a handler");
            assertThat(delivered).hasSize(2 + HANGING);
            freed.countDown();
            for (int i = 0; i < HANGING; i++) {
                await("hanging" + i, TIMERS);
            }
        }
        assertThat(RedisVerification.verify(RedisAddress.single("redis://127.0.0.1:" + server.port()), "crowd")
                        .findings())
                .isEmpty();
    }

    private void deliver(Attempt attempt) {
        if (attempt.key().startsWith("steady")) {
            latenessMs.add(System.currentTimeMillis() - attempt.dueAt().toEpochMilli());
        }
        delivered.computeIfAbsent(attempt.queue(), queue -> new AtomicInteger()).incrementAndGet();
    }

    private void hang(Attempt attempt) throws InterruptedException {
        deliver(attempt);
        freed.await();
    }

    private int count(String queue) {
        AtomicInteger count = delivered.get(queue);
        return count == null ? 0 : count.get();
    }

    private void await(String queue, int timers) {
        assertThat(Patience.tryUntil(Duration.ofMillis(PATIENCE_MS), () -> count(queue) >= timers))
                .as(() -> queue + " has " + count(queue) + " of " + timers)
                .isTrue();
    }

    /** Timers of all queues mixed, as they come due in life. */
    private void fill(Tickwheel node) throws InterruptedException {
        Semaphore underWay = new Semaphore(UNDER_WAY);
        long firstMs = System.currentTimeMillis() - HOUR_MS;
        for (int i = 0; i < TIMERS; i++) {
            long dueAtMs = firstMs + i * HOUR_MS / (2L * TIMERS);
            for (int queue = 0; queue < STUCK; queue++) {
                schedule(node, underWay, "stuck" + queue, "k" + i, dueAtMs);
            }
            for (int queue = 0; queue < HANGING; queue++) {
                schedule(node, underWay, "hanging" + queue, "k" + i, dueAtMs);
            }
        }
        underWay.acquire(UNDER_WAY);
        assertThat(failure).hasNullValue();
    }

    private void schedule(Tickwheel node, Semaphore underWay, String queue, String key, long dueAtMs)
            throws InterruptedException {
        underWay.acquire();
        CompletableFuture<Scheduled> unused = node.schedule(TimerRequest.at(queue, key, Instant.ofEpochMilli(dueAtMs)))
                .whenComplete((scheduled, thrown) -> {
                    if (thrown != null) {
                        failure.set(thrown);
                    }
                    underWay.release();
                });
    }

    /** Waits until the node owns its partitions and delivers. */
    private void warm(Tickwheel node) {
        node.schedule(TimerRequest.at(WELL, "warm", Instant.ofEpochMilli(System.currentTimeMillis())))
                .join();
        await(WELL, 1);
    }

    private void steady(Tickwheel node, String name) throws InterruptedException {
        Semaphore underWay = new Semaphore(UNDER_WAY);
        long startMs = System.currentTimeMillis();
        int timers = PER_SECOND * SECONDS;
        for (int i = 0; i < timers; i++) {
            long atMs = startMs + i * 1_000L / PER_SECOND;
            Patience.awaitMs(atMs);
            schedule(node, underWay, WELL, "steady" + i, atMs + AHEAD_MS);
        }
        underWay.acquire(UNDER_WAY);
        assertThat(failure).hasNullValue();
        await(WELL, 1 + timers);
        List<Long> sorted = new ArrayList<>(latenessMs);
        Collections.sort(sorted);
        say(PER_SECOND + " a second " + name + ": p50 " + sorted.get(timers / 2) + " ms, p99 "
                + sorted.get(timers * 99 / 100) + " ms, at most " + sorted.get(timers - 1) + " ms late");
    }

    /** Many timers that are due at one moment; returns how long after it the last of them came. */
    private long burst(Tickwheel node, String name) throws InterruptedException {
        Semaphore underWay = new Semaphore(UNDER_WAY);
        int before = count(WELL);
        long dueAtMs = System.currentTimeMillis() + AHEAD_MS + BURST / 4;
        for (int i = 0; i < BURST; i++) {
            schedule(node, underWay, WELL, "burst-" + name + i, dueAtMs);
        }
        underWay.acquire(UNDER_WAY);
        assertThat(failure).hasNullValue();
        await(WELL, before + BURST);
        return System.currentTimeMillis() - dueAtMs;
    }

    private static void say(String what) {
        System.out.println("Stuck queues: " + what);
    }
}
