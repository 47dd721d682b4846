package io.tickwheel.store.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisError;
import io.tickwheel.redis.testkit.RedisReplicas;
import io.tickwheel.redis.testkit.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Masters that sentinels replace, of two replicas each of which must have what is answered: when an operator orders it, so that
 * the old master answers on for a moment, and when the master dies. All keep what they have over a restart: on a slow machine
 * sentinels may replace a master once more just when the one that died has come back, and promote that.
 */
@Tag("outage")
final class SentinelFaultTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int PARTITIONS = 12;
    private static final int REPLICAS = 2;

    private static RedisReplicas redis;

    @BeforeAll
    static void start() {
        redis = RedisReplicas.builder()
                .replicas(REPLICAS)
                .config("appendonly", "yes")
                .sentinels(Duration.ofMillis(500))
                .start();
        if (FaultSettings.rounds() == 1) {
            redis.sentinels().forEach(SentinelFaultTest::hurry);
        }
    }

    /** A deposed master is made a replica after four of its periods: that is 8 s otherwise, and stays so in the long form. */
    private static void hurry(RedisServer sentinel) {
        try {
            sentinel.command("SENTINEL", "DEBUG", "publish-period", "300", "info-period", "500");
        } catch (RedisError olderThan7) {
            assertThat(olderThan7).hasMessageContaining("DEBUG");
        }
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    private static NodeSetup setup(int replicas) {
        return NodeSetup.sentinel(redis.masterName(), redis.sentinelPorts(), FaultRun.fresh("sentinel"), PARTITIONS)
                .withReplicas(replicas);
    }

    /** Of commands of which no answer was lost, the rest must come about too: so the load goes on after each round. */
    private static FaultReport underLoad(String title, Runnable fault) {
        redis.awaitReplication(LIMIT);
        try (FaultRun run = new FaultRun(title, setup(REPLICAS))) {
            run.local();
            run.local();
            FaultLoad load = run.load(300);
            for (int round = 0; round < FaultSettings.rounds(); round++) {
                load.awaitAnswers(150);
                run.ledger.servers(() -> {
                    fault.run();
                    redis.awaitReplication(LIMIT);
                    load.awaitAnswers(150);
                });
            }
            load.stop();
            return run.conclude();
        }
    }

    private static void orderFailover() {
        RedisServer master = redis.master();
        redis.orderFailover(LIMIT);
        redis.awaitMaster(now -> now != master, LIMIT);
    }

    @Tag("full")
    @Test
    void orderedFailoverLosesNothingThatAllReplicasHave() {
        FaultReport report = underLoad("failover ordered, REPLICATED(2) of 2", SentinelFaultTest::orderFailover);
        assertThat(report.made).isGreaterThan(300);
    }

    @Test
    void deathOfAMasterLosesNothingThatAllReplicasHave() {
        FaultReport report = underLoad("sentinel master killed, REPLICATED(2) of 2", () -> {
            RedisServer master = redis.master();
            master.kill();
            RedisServer promoted = redis.awaitMaster(now -> now != master, LIMIT);
            redis.awaitFollowers(promoted, master, LIMIT);
            master.restart();
        });
        assertThat(report.made).isGreaterThan(300);
    }

    /** Until the old master is back as a replica nothing is answered but that it is not known; then all goes on. */
    @Tag("full")
    @Test
    void nothingIsPromisedWhileTheOldMasterIsAwayAfterAnOrderedFailover() {
        redis.awaitReplication(LIMIT);
        NodeSetup setup = setup(REPLICAS).withTimeout(Duration.ofSeconds(2));
        try (FaultRun run = new FaultRun("failover ordered, old master away", setup)) {
            LocalNode node = run.local();
            FaultLoad load = run.load(100);
            load.awaitAnswers(150);
            run.ledger.servers(() -> {
                RedisServer old = redis.master();
                orderFailover();
                old.kill();
                RedisServer promoted = redis.awaitMaster(now -> now != old, LIMIT);
                String key = "unanswered";
                Patience.until("the new master is known", () -> {
                    FaultAnswer answer = run.ledger
                            .schedule(node, key, FaultRun.fresh(key), System.currentTimeMillis() + 1_500)
                            .join();
                    assertThat(answer.isMade()).isFalse();
                    return answer.isUnknown();
                });
                int answered = load.answered();
                long waits = waits(promoted);
                Patience.until("it is asked for again and again", () -> waits(promoted) >= waits + 3);
                assertThat(load.answered()).isEqualTo(answered);
                old.restart();
                redis.awaitReplication(LIMIT);
                load.awaitAnswers(150);
            });
            load.stop();
            run.conclude();
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
