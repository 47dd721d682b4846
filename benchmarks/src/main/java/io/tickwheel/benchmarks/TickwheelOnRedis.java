package io.tickwheel.benchmarks;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.RedisTimerStore;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;

/** A node of ours. */
final class TickwheelOnRedis implements RedisNode {

    private static final String QUEUE = "orders";
    private static final long TIMEOUT_NANOS = 60_000_000_000L;

    private final Tickwheel engine;

    /**
     * How many attempts may run at once.
     *
     * @param perQueue of the one queue that there is
     * @param inAll of all queues
     */
    record Attempts(int perQueue, int inAll) {}

    private TickwheelOnRedis(Tickwheel engine) {
        this.engine = engine;
    }

    static TickwheelOnRedis open(RedisUnderTest redis, Durability durability, Attempts attempts) {
        RedisTimerStore store = RedisTimerStore.at(redis.address()).withDurability(durability);
        return new TickwheelOnRedis(Tickwheel.builder(store)
                .attemptsPerQueue(attempts.perQueue())
                .attemptsInAll(attempts.inAll())
                .open());
    }

    @Override
    public CompletionStage<?> schedule(long number, long dueAtMs) {
        return engine.schedule(TimerRequest.at(QUEUE, RedisLoad.key(number), Instant.ofEpochMilli(dueAtMs))
                        .withPayload(RedisLoad.payload(number, dueAtMs)))
                .thenAccept(Outstanding::expectCreated);
    }

    @Override
    public void deliverTo(HandledTimers handled) {
        engine.handle(QUEUE, attempt -> handled.arrived(RedisLoad.number(attempt.payload()), attempt.dueAt()));
    }

    @Override
    public void awaitAcknowledged() throws Exception {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (engine.liveCount() > 0 || left() > 0) {
            if (System.nanoTime() > deadline) {
                throw new TimeoutException(left() + " timers are not acknowledged");
            }
            Thread.sleep(1);
        }
    }

    @Override
    public long left() {
        return engine.queues().join().stream()
                .mapToLong(counts -> counts.pending() + counts.claimed())
                .sum();
    }

    @Override
    public void close() {
        engine.close();
    }
}
