package io.tickwheel.store.redis.link;

import static io.tickwheel.store.redis.link.Loop.push;
import static io.tickwheel.store.redis.link.Reply.Outcome.DONE;
import static io.tickwheel.store.redis.link.Reply.Outcome.REFUSED;
import static io.tickwheel.store.redis.link.Reply.Outcome.UNMET;
import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisReplicas;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.Durability;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.link.Loop.Kept;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LettuceLinkReplicaTest {

    private static final Durability ONE_COPY = Durability.replicated(1);
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static RedisAddress sentinels(RedisReplicas replicas) {
        String[] uris = replicas.sentinelPorts().stream()
                .map(port -> "redis://127.0.0.1:" + port)
                .toArray(String[]::new);
        return RedisAddress.sentinel(replicas.masterName(), uris);
    }

    @Test
    void callIsDoneWhenAReplicaHasItAndUnmetWhenNoneHas() {
        try (RedisReplicas replicas = RedisReplicas.builder().replicas(1).start();
                Loop loop = Loop.open(replicas.master().port());
                Loop impatient = Loop.impatient(replicas.master().port())) {
            replicas.awaitReplication(LIMIT);
            assertThat(loop.call(push(1, "k", "a", ONE_COPY)).outcome()).isEqualTo(DONE);
            Reply two = impatient.call(push(1, "k", "b", Durability.replicated(2)));
            assertThat(two.outcome()).isEqualTo(UNMET);
            assertThat(two.reason()).contains("replicated(2)").contains(" 1 replica");

            replicas.replicas().get(0).pause();
            Reply unmet = impatient.call(push(1, "k", "c", ONE_COPY));
            assertThat(unmet.outcome()).isEqualTo(UNMET);
            assertThat(unmet.value()).isEqualTo(3L);
            replicas.replicas().get(0).resume();
            assertThat(loop.call(push(1, "k", "d", ONE_COPY)).outcome()).isEqualTo(DONE);
        }
    }

    /** Sentinels may promote the one that has not confirmed. */
    @Test
    void fewerReplicasThanThereAreIsDoubtful() {
        try (RedisReplicas replicas = RedisReplicas.builder().replicas(2).start()) {
            replicas.awaitReplication(LIMIT);
            try (Loop loop = Loop.open(replicas.master().port())) {
                assertThat(loop.link.doubt(ONE_COPY))
                        .contains("durability is replicated(1)")
                        .contains(" has 2 replicas")
                        .endsWith("Only replicated(2) excludes that");
                assertThat(loop.link.doubt(Durability.replicated(2))).isNull();
                assertThat(loop.link.doubt(Durability.MEMORY)).isNull();
            }
        }
    }

    @Test
    void callsGatherWhileReplicasAreAwaited() {
        try (RedisReplicas replicas = RedisReplicas.builder().replicas(1).start();
                Loop loop = Loop.open(replicas.master().port())) {
            replicas.awaitReplication(LIMIT);
            assertThat(loop.call(push(1, "k", "0", ONE_COPY)).outcome()).isEqualTo(DONE);
            replicas.replicas().get(0).pause();
            List<Kept> answered = new ArrayList<>();
            List<Kept> sent = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                Durability level = i % 10 == 9 ? Durability.fsync(0) : i % 3 == 0 ? Durability.replicated(1) : ONE_COPY;
                sent.add(loop.send(new Kept(1, Loop.PUSH, "k", "" + i, level, answered)));
                loop.link.flush();
            }
            // Not behind those that wait.
            assertThat(loop.call(push(1, "other", "0", Durability.MEMORY)).outcome())
                    .isEqualTo(DONE);
            replicas.replicas().get(0).resume();
            loop.until(loop.link::isQuiet);

            List<Object> values = new ArrayList<>();
            List<Object> expected = new ArrayList<>();
            for (Kept each : sent) {
                if (each.level.equals(Durability.fsync(0))) {
                    assertThat(each.is(REFUSED)).isTrue();
                } else {
                    assertThat(each.reply.outcome()).isIn(DONE, UNMET);
                    values.add(each.reply.value());
                    expected.add(values.size() + 1L);
                }
            }
            assertThat(values).isEqualTo(expected);
            assertThat((Long) replicas.master().command("LLEN", "k")).isEqualTo(values.size() + 1L);
            String commands = String.valueOf(replicas.master().command("INFO", "commandstats"));
            assertThat(commands).containsPattern("cmdstat_wait:calls=[2-9],");
        }
    }

    /** What a master acknowledged that was not one any more is gone, and must not have been said to be durable. */
    @Test
    void masterThatSentinelsReplaceIsLeftAndNothingDurableIsMissing() {
        try (RedisReplicas replicas = RedisReplicas.builder()
                        .replicas(2)
                        .sentinels(Duration.ofMillis(500))
                        .start();
                // It outlasts the failover, so that what is on its way is executed by the stale master.
                Loop loop = Loop.open(sentinels(replicas), LIMIT, Loop.PATIENT)) {
            replicas.awaitReplication(LIMIT);
            List<String> heard = new ArrayList<>();
            loop.link.subscribe("news", heard::add);
            RedisServer old = replicas.master();
            List<Kept> answered = new ArrayList<>();
            int[] number = new int[1];
            Runnable some = () -> {
                for (int i = 0; i < 20; i++) {
                    loop.send(new Kept(1, Loop.PUSH, "k", "" + number[0]++, ONE_COPY, answered));
                }
                loop.link.flush();
            };
            some.run();
            loop.until(() -> answered.size() == 20);
            assertThat(answered).allMatch(each -> each.is(DONE));

            old.pause();
            some.run();
            RedisServer promoted = replicas.awaitMaster(each -> each != old, LIMIT);
            some.run();
            old.resume();
            some.run();
            loop.untilDone(() -> {
                some.run();
                return push(1, "k", "last", ONE_COPY);
            });
            loop.until(loop.link::isQuiet);

            Set<Object> kept = new HashSet<>((List<?>) promoted.command("LRANGE", "k", "0", "-1"));
            assertThat(answered)
                    .filteredOn(each -> each.is(DONE))
                    .extracting(Kept::argument)
                    .allMatch(kept::contains);
            assertThat(kept).contains("last");
            loop.until(() -> Long.valueOf(1).equals(promoted.command("PUBLISH", "news", "x")));
            loop.until(() -> heard.contains("x"));
        }
    }
}
