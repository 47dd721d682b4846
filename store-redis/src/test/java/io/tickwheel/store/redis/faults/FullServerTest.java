package io.tickwheel.store.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreFullException;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.RedisTimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A server that has reached {@code maxmemory} delivers what it has, while clients go on to schedule as fast as they can.
 * {@code -Dtickwheel.full.timers=100000} is the long form; it says by how much the server was over its limit at most.
 */
final class FullServerTest {

    private static final int TIMERS = Integer.getInteger("tickwheel.full.timers", 4_000);
    private static final int PAYLOAD_BYTES = Integer.getInteger("tickwheel.full.payload", 100);
    private static final int UNDER_WAY = 512;
    private static final long MOST_OVER_BYTES = 1 << 20;
    private static final long PATIENCE_MS = 60_000L + TIMERS;
    private static final long LOOK_NANOS = 5_000_000;
    private static final Duration FAR = Duration.ofHours(5);

    private final Semaphore room = new Semaphore(UNDER_WAY);
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger delivered = new AtomicInteger();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile boolean stopping;
    private RedisServer server;

    @BeforeEach
    void start() {
        server = RedisServer.builder().start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** What the server says of its memory, in bytes. */
    private record Memory(long used, long clients, long scripts) {

        static Memory of(RedisServer server) {
            String report = String.valueOf(server.command("INFO", "memory"));
            return new Memory(
                    field(report, "used_memory"),
                    field(report, "mem_clients_normal"),
                    field(report, "used_memory_lua") + field(report, "used_memory_scripts"));
        }

        private static long field(String report, String name) {
            return report.lines()
                    .filter(line -> line.startsWith(name + ":"))
                    .mapToLong(line -> Long.parseLong(line.substring(name.length() + 1)))
                    .findFirst()
                    .orElse(0);
        }
    }

    @Test
    void fullServerGrowsNoMoreWhileItDelivers() {
        RedisTimerStore store = RedisTimerStore.at(RedisAddress.single("redis://127.0.0.1:" + server.port()));
        Memory highest = new Memory(0, 0, 0);
        long limit;
        try (Tickwheel timers = Tickwheel.builder(store).open()) {
            for (int i = 0; i < TIMERS; i++) {
                schedule(timers, "due", "k" + i, Instant.now());
            }
            Patience.until("all are there", () -> made.get() + refused.get() == TIMERS || failure.get() != null);
            assertThat(made.get()).isEqualTo(TIMERS);
            limit = Memory.of(server).used();
            server.command("CONFIG", "SET", "maxmemory", Long.toString(limit));
            Thread client = new Thread(() -> scheduleOnAndOn(timers), "client");
            client.start();
            timers.handle("due", attempt -> delivered.incrementAndGet());
            long endMs = System.currentTimeMillis() + PATIENCE_MS;
            while (delivered.get() < TIMERS && System.currentTimeMillis() < endMs) {
                Memory now = Memory.of(server);
                highest = now.used() > highest.used() ? now : highest;
                LockSupport.parkNanos(LOOK_NANOS);
            }
            stopping = true;
            Patience.until("the client has ended", () -> !client.isAlive() && room.availablePermits() == UNDER_WAY);
        }
        System.out.println(
                "Full server: delivered " + delivered + ", made " + (made.get() - TIMERS) + " and refused " + refused
                        + " meanwhile, limit " + limit + " bytes, at most " + (highest.used() - limit)
                        + " over it; then clients "
                        + highest.clients() + ", scripts " + highest.scripts());
        assertThat(failure.get()).isNull();
        assertThat(delivered.get()).isEqualTo(TIMERS);
        assertThat(refused.get()).isPositive();
        assertThat(highest.used() - limit).isLessThanOrEqualTo(MOST_OVER_BYTES);
    }

    private void scheduleOnAndOn(Tickwheel timers) {
        for (int i = 0; !stopping && failure.get() == null; i++) {
            schedule(timers, "later", "k" + i, Instant.now().plus(FAR));
        }
    }

    private void schedule(Tickwheel timers, String queue, String key, Instant dueAt) {
        room.acquireUninterruptibly();
        CompletableFuture<Scheduled> unused = timers.schedule(
                        TimerRequest.at(queue, key, dueAt).withPayload(new byte[PAYLOAD_BYTES]))
                .whenComplete((scheduled, thrown) -> {
                    room.release();
                    count(thrown);
                });
    }

    private void count(Throwable thrown) {
        Throwable reason = thrown instanceof CompletionException ? thrown.getCause() : thrown;
        if (reason == null) {
            made.incrementAndGet();
        } else if (reason instanceof StoreFullException) {
            refused.incrementAndGet();
        } else {
            failure.compareAndSet(null, reason);
        }
    }
}
