package io.tickwheel.redis.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class RedisReplicasTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    @Test
    void replicasHaveWhatTheMasterHas() {
        try (RedisReplicas redis =
                RedisReplicas.builder().replicas(2).password("secret").start()) {
            redis.master().command("SET", "order", "42");
            redis.awaitReplication(LIMIT);
            assertThat(redis.replicas()).hasSize(2).allSatisfy(replica -> {
                assertThat(replica.command("GET", "order")).isEqualTo("42");
                assertThatExceptionOfType(RedisError.class)
                        .isThrownBy(() -> replica.command("SET", "order", "43"))
                        .withMessageStartingWith("READONLY");
            });
            assertThat(redis.sentinelPorts()).isEmpty();
        }
    }

    @Test
    void aPausedReplicaHasNotCaughtUp() {
        try (RedisReplicas redis = RedisReplicas.builder().start()) {
            redis.replicas().get(0).pause();
            redis.master().command("SET", "order", "42");
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(() -> redis.awaitReplication(Duration.ofMillis(100)))
                    .withMessageContaining("role:master");
            redis.replicas().get(0).resume();
            redis.awaitReplication(LIMIT);
        }
    }

    @Test
    void withoutSentinelsTheRoleDecidesWhoIsMaster() {
        try (RedisReplicas redis = RedisReplicas.builder().start()) {
            RedisServer first = redis.master();
            RedisServer second = redis.replicas().get(0);
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(() -> redis.awaitMaster(master -> master == second, Duration.ofMillis(50)));
            first.kill();
            second.command("REPLICAOF", "NO", "ONE");
            assertThat(redis.awaitMaster(master -> master != first, LIMIT)).isSameAs(second);
            first.restart();
            assertThatExceptionOfType(IllegalStateException.class).isThrownBy(redis::master);
        }
    }

    @Test
    void sentinelsPromoteAReplicaOfADeadMaster() {
        try (RedisReplicas redis = RedisReplicas.builder()
                .replicas(2)
                .password("secret")
                .sentinels(Duration.ofMillis(500))
                .start()) {
            assertThat(redis.sentinelPorts()).hasSize(3).doesNotHaveDuplicates();
            RedisServer first = redis.master();
            first.command("SET", "order", "42");
            redis.awaitReplication(LIMIT);

            first.kill();
            RedisServer second = redis.awaitMaster(master -> master != first, LIMIT);
            assertThat(second.command("GET", "order")).isEqualTo("42");
            assertThat(second.command("SET", "order", "43")).isEqualTo("OK");
            assertThat(redis.replicas()).hasSize(2).contains(first);
        }
    }
}
