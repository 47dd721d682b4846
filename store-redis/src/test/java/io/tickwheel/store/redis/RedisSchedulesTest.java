package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Durability;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.testkit.AllCourses;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Small scripts of two nodes in all orders: a step is a turn of a node, the next call that the server carries out, the next reply that
 * a node takes, or what a client or an operator does next, and each of the first choices which of them is next is made in every way.
 * After each call the ledger holds the records against what was asked for; in the end every timer has had its due, all room is given
 * back, and both nodes close. {@code -Dtickwheel.redis.depth=6} walks through two choices more.
 */
@Tag("simulated")
final class RedisSchedulesTest {

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final TimerKey KEY = new TimerKey("q", "k");
    private static final int DEPTH = Integer.getInteger("tickwheel.redis.depth", 4);
    private static final int LEAST = 100;
    private static final int MOST = 20_000;
    private static final int MOST_STEPS = 12;

    private static SimulatedRedis redis;

    @BeforeAll
    static void start() {
        redis = new SimulatedRedis();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @Test
    void rescheduleByAnotherNodeAtEachStepOfAClaim() {
        int courses = walk(scene -> {
            scene.client(() -> scene.schedule(scene.owner));
            scene.client(() -> scene.other.change(
                    ChangeCommand.reschedule(KEY, scene.healthy.nowMs() + 20), Durability.MEMORY, null));
        });
        assertThat(courses).isGreaterThan(LEAST);
    }

    @Test
    void cancelByAnotherNodeAtEachStepOfAClaim() {
        int courses = walk(scene -> {
            scene.client(() -> scene.schedule(scene.owner));
            scene.client(() -> scene.other.cancel(KEY, Durability.MEMORY, null));
        });
        assertThat(courses).isGreaterThan(LEAST);
    }

    @Test
    void replaceByAnotherNodeAtEachStepOfAClaim() {
        int courses = walk(scene -> {
            scene.client(() -> scene.schedule(scene.owner));
            scene.client(() -> scene.schedule(scene.other));
        });
        assertThat(courses).isGreaterThan(LEAST);
    }

    @Test
    void ownerLeavesAtEachStepOfAClaim() {
        int courses = walk(scene -> {
            scene.client(() -> scene.schedule(scene.other));
            scene.client(scene.owner::leave);
        });
        assertThat(courses).isGreaterThan(LEAST);
    }

    @Test
    void leaseRunsOutAtEachStepOfAClaim() {
        int courses = walk(scene -> {
            scene.client(() -> scene.schedule(scene.other));
            scene.client(() -> scene.healthy.world.advance(LEASE.plusMillis(1).toNanos()));
        });
        assertThat(courses).isGreaterThan(LEAST);
    }

    /** What clients do. */
    private interface Script {
        void addTo(Scene scene);
    }

    private static int walk(Script script) {
        return AllCourses.walk(DEPTH, MOST, choices -> {
            Scene scene = new Scene();
            script.addTo(scene);
            scene.run(choices);
            scene.end();
        });
    }

    private static final class Scene {

        final HealthyWorld healthy = new HealthyWorld(redis, 1, LEASE, call -> {});
        final SimulatedNode owner = healthy.open("n1");
        final SimulatedNode other;
        private final List<Deque<Runnable>> clients = new ArrayList<>();

        Scene() {
            healthy.pass(LEASE, owner);
            other = healthy.open("n2");
            healthy.settle(owner, other);
        }

        void client(Runnable step) {
            clients.add(new ArrayDeque<>(List.of(step)));
        }

        void schedule(SimulatedNode node) {
            node.schedule(KEY, healthy.nowMs(), OnConflict.REPLACE, Durability.MEMORY, null);
        }

        void run(RandomGenerator choices) {
            for (int step = 0; step < MOST_STEPS; step++) {
                List<Runnable> next = new ArrayList<>();
                for (Deque<Runnable> client : clients) {
                    if (!client.isEmpty()) {
                        next.add(() -> client.remove().run());
                    }
                }
                addSteps(next, owner);
                addSteps(next, other);
                next.get(choices.nextInt(next.size())).run();
            }
        }

        private void addSteps(List<Runnable> next, SimulatedNode node) {
            next.add(node::turn);
            List<SimulatedCall> calls = node.link.executable();
            if (!calls.isEmpty()) {
                next.add(() -> healthy.carryOut(calls.subList(0, 1)));
            }
            List<SimulatedCall> replies = node.link.arrivable();
            if (!replies.isEmpty()) {
                next.add(() -> node.link.arrive(replies.get(0)));
            }
        }

        /** Lets everything come to its end, and the nodes close. */
        void end() {
            clients.forEach(client -> client.forEach(Runnable::run));
            healthy.world.ledger.healed(healthy.nowMs());
            healthy.pass(LEASE.multipliedBy(4), owner, other);
            assertThat(healthy.world.ledger.isDrained())
                    .as(healthy.world.ledger.live())
                    .isTrue();
            for (SimulatedNode node : List.of(owner, other)) {
                assertThat(node.placesTaken()).as("places that are taken").isZero();
                if (!node.isLeaving()) {
                    node.leave();
                }
            }
            healthy.settle(owner, other);
            for (SimulatedNode node : List.of(owner, other)) {
                assertThat(node.isDone()).as("nothing is under way").isTrue();
                node.close();
            }
            healthy.world.ledger.judge();
        }
    }
}
