package io.tickwheel.store.redis;

import io.tickwheel.store.Durability;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** A simulated server with which all is well: it does what it is asked, and every reply comes. Steps are taken by the test. */
final class HealthyWorld {

    private static final int STEPS_A_LEASE = 60;

    final RedisWorld world;
    private final RedisOptions options;
    private final Consumer<SimulatedCall> watcher;

    /** @param watcher told each call that was carried out */
    HealthyWorld(SimulatedRedis redis, int partitions, Duration lease, Consumer<SimulatedCall> watcher) {
        options = RedisOptions.defaults(RedisAddress.single("redis://127.0.0.1:1"))
                .withNamespace("healthy")
                .withPartitions(partitions)
                .withLease(lease)
                .withTimeout(lease)
                .withDurability(Durability.MEMORY);
        this.watcher = watcher;
        world = new RedisWorld(redis, RedisBug.NONE, new SplittableRandom(7), options, false);
        world.isHealed = true;
        world.masters.forEach(each -> each.replicated = each.journalSize());
    }

    SimulatedNode open(String name) {
        return new SimulatedNode(world, name, options);
    }

    long nowMs() {
        return world.masters.get(0).micros(world.nowNanos()) / 1_000;
    }

    static Duration step(Duration lease) {
        return lease.dividedBy(STEPS_A_LEASE);
    }

    /** Lets time pass in small steps, in each of which nothing is left to do. */
    void pass(Duration time, SimulatedNode... nodes) {
        long stepNanos = step(options.lease()).toNanos();
        for (long nanos = 0; nanos < time.toNanos(); nanos += stepNanos) {
            settle(nodes);
            world.advance(stepNanos);
        }
    }

    /** Lets the server carry out what it was asked, and the nodes take the answers, until there is nothing more. */
    void settle(SimulatedNode... nodes) {
        boolean hasMore = true;
        while (hasMore) {
            hasMore = false;
            for (SimulatedNode node : nodes) {
                node.turn();
                List<SimulatedCall> calls = node.link.executable();
                carryOut(calls);
                List<SimulatedCall> answers = node.link.arrivable();
                answers.forEach(node.link::arrive);
                hasMore |= !calls.isEmpty() || !answers.isEmpty();
            }
        }
    }

    /** Has the server do what it was asked. */
    void carryOut(List<SimulatedCall> calls) {
        calls.forEach(call -> call.link.taken(call));
        world.execute(calls);
        world.masters.forEach(each -> each.replicated = each.journalSize());
        calls.forEach(watcher);
    }
}
