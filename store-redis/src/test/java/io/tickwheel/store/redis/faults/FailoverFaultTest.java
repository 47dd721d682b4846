package io.tickwheel.store.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisCluster;
import io.tickwheel.redis.testkit.RedisReplicas;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.redis.testkit.SlotMigration;
import io.tickwheel.store.redis.layout.Layout;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Masters that die, or stand still and come back, and slots that move: in a cluster of three masters and three replicas. */
@Tag("outage")
final class FailoverFaultTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int PARTITIONS = 12;

    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.builder().start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static NodeSetup setup() {
        List<Integer> ports = cluster.nodes().stream().map(RedisServer::port).toList();
        return NodeSetup.cluster(ports, FaultRun.fresh("failover"), PARTITIONS);
    }

    private static int slot(NodeSetup setup, int partition) {
        return new Layout(setup.namespace(), PARTITIONS).slot(partition);
    }

    @Test
    void replicatedTimersSurviveTheDeathOfAMaster() {
        NodeSetup setup = setup().withReplicas(1);
        try (FaultRun run = new FaultRun("cluster master killed, REPLICATED(1)", setup)) {
            run.local();
            run.local();
            FaultLoad load = run.load(200);
            for (int round = 0; round < FaultSettings.rounds(); round++) {
                load.awaitAnswers(150);
                int slot = slot(setup, round % PARTITIONS);
                run.ledger.servers(() -> killMaster(slot, load));
            }
            load.stop();
            run.conclude();
        }
    }

    /** And starts it again as a replica, without which nothing is replicated. */
    private static void killMaster(int slot, FaultLoad load) {
        RedisServer master = cluster.masterOf(slot);
        master.kill();
        cluster.awaitMasterChange(slot, master, LIMIT);
        master.restart();
        cluster.awaitOk(LIMIT);
        load.awaitAnswers(150);
    }

    /** What a level that promises nothing over a failover loses is a number to know. */
    @Tag("full")
    @Test
    void timersInMemoryMayBeLostWithAMaster() {
        NodeSetup setup = setup();
        try (FaultRun run = new FaultRun("cluster master killed, MEMORY", setup)) {
            run.local();
            run.local();
            FaultLoad load = run.load(400);
            load.awaitAnswers(200);
            run.ledger.servers(() -> killMaster(slot(setup, 0), load));
            load.stop();
            FaultReport report = run.concludeWithLosses();
            run.say("lost " + report.number(FaultReport.Broken.LOST) + " of " + report.made);
        }
    }

    /** The master that stood still thinks for a moment that it still is one, and answers what it is asked. */
    @Test
    void masterThatStoodStillConfirmsNothing() {
        NodeSetup setup = setup().withReplicas(1);
        try (FaultRun run = new FaultRun("stale master, REPLICATED(1)", setup)) {
            run.local();
            run.local();
            FaultLoad load = run.load(200);
            for (int round = 0; round < FaultSettings.rounds(); round++) {
                load.awaitAnswers(150);
                run.ledger.servers(() -> {
                    int slot = slot(setup, 5);
                    RedisServer master = cluster.masterOf(slot);
                    master.pause();
                    try {
                        cluster.awaitMasterChange(slot, master, LIMIT);
                    } finally {
                        master.resume();
                    }
                    cluster.awaitOk(LIMIT);
                    load.awaitAnswers(150);
                });
            }
            load.stop();
            run.conclude();
        }
    }

    /** A partition moves to another master, key by key; now and then it stops half-way. */
    @Test
    void movingSlotsLoseNothing() {
        NodeSetup setup = setup();
        try (FaultRun run = new FaultRun("slots move", setup)) {
            run.local();
            run.local();
            FaultLoad load = run.load(300);
            for (int i = 0; i < 3 * FaultSettings.rounds(); i++) {
                load.awaitAnswers(60);
                int slot = slot(setup, i % PARTITIONS);
                RedisServer from = cluster.masterOf(slot);
                RedisServer to = otherMaster(from);
                SlotMigration migration = cluster.beginMigration(slot, from, to);
                load.awaitAnswers(30);
                while (migration.moveKeys(1) > 0) {
                    load.awaitAnswers(5);
                }
                migration.endMigration();
            }
            load.stop();
            FaultReport report = run.conclude();
            assertThat(report.refused).isZero();
        }
    }

    private static RedisServer otherMaster(RedisServer from) {
        return cluster.nodes().stream()
                .filter(node -> node != from && cluster.isMaster(node))
                .findFirst()
                .orElseThrow();
    }

    @Tag("full")
    @Test
    void whatNoReplicaHasIsUnknownAndCanBeAskedForAgain() {
        try (RedisReplicas redis = RedisReplicas.builder().start()) {
            NodeSetup setup = NodeSetup.single(redis.master().port(), FaultRun.fresh("replicas"), 1)
                    .withReplicas(1)
                    .withTimeout(Duration.ofSeconds(1));
            try (FaultRun run = new FaultRun("replica stands still, REPLICATED(1)", setup)) {
                LocalNode node = run.local();
                long dueMs = System.currentTimeMillis() + 6_000;
                assertThat(run.ledger.schedule(node, "k", "k1", dueMs).join().kind())
                        .isEqualTo(FaultAnswer.Kind.MADE);
                RedisServer replica = redis.replicas().get(0);
                replica.pause();
                assertThat(run.ledger.schedule(node, "k", "k2", dueMs).join().kind())
                        .isEqualTo(FaultAnswer.Kind.UNKNOWN);
                replica.resume();
                redis.awaitReplication(LIMIT);
                long nowMs = System.currentTimeMillis();
                assertThat(run.ledger.schedule(node, "k", "k3", nowMs).join().kind())
                        .isEqualTo(FaultAnswer.Kind.MADE);
                run.conclude();
            }
        }
    }

    /** Claims are carried out and not replicated, and asked for again for longer than one of them holds. */
    @Test
    void attemptsThatNoReplicaKnowsOfDoNotCount() {
        try (RedisReplicas redis = RedisReplicas.builder().start()) {
            NodeSetup setup = NodeSetup.single(redis.master().port(), FaultRun.fresh("outage"), 1)
                    .withReplicas(1)
                    .withLease(Duration.ofSeconds(1))
                    .withTimeout(Duration.ofSeconds(1));
            try (FaultRun run = new FaultRun("no replica for a while, REPLICATED(1)", setup)) {
                LocalNode node = run.silent(setup, NodeEngine.MANY_ATTEMPTS);
                for (int i = 0; i < 40; i++) {
                    assertThat(run.ledger
                                    .schedule(node, "k" + i, "t" + i, System.currentTimeMillis())
                                    .join()
                                    .kind())
                            .isEqualTo(FaultAnswer.Kind.MADE);
                }
                RedisServer replica = redis.replicas().get(0);
                replica.pause();
                long endMs = System.currentTimeMillis() + 1_000L * FaultSettings.outageSeconds();
                node.handle();
                long before = waits(redis.master());
                Patience.until("claims are asked for again", () -> waits(redis.master()) >= before + 5);
                Patience.awaitMs(endMs);
                replica.resume();
                redis.awaitReplication(LIMIT);
                run.conclude();
                assertThat(run.ledger.deliveries())
                        .hasSize(40)
                        .allSatisfy(delivery -> assertThat(delivery.attempt()).isOne());
            }
        }
    }

    private static long waits(RedisServer server) {
        String stats = (String) server.command("INFO", "commandstats");
        return stats.lines()
                .filter(line -> line.startsWith("cmdstat_wait:calls="))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf('=') + 1, line.indexOf(','))))
                .sum();
    }
}
