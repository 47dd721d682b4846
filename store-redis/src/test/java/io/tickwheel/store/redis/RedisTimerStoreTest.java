package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tickwheel.store.Durability;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What a store can be told, and what it refuses. */
final class RedisTimerStoreTest {

    private static final String LONGEST_NAME = "aA0._-" + "x".repeat(58);

    private final RedisTimerStore store = RedisTimerStore.at(RedisAddress.single("redis://a"));

    private static void assertRefused(String why, ThrowingCallable call) {
        assertThatIllegalArgumentException().isThrownBy(call).withMessage(why);
    }

    @Test
    void optionsAreThoseThatWereGiven() {
        assertThat(store.withNamespace(LONGEST_NAME)
                        .withPartitions(1_024)
                        .withDurability(Durability.replicated(2))
                        .withNode("n-1")
                        .withLease(Duration.ofMillis(200))
                        .withTimeout(Duration.ofMinutes(1))
                        .withFinishedRemembered(0))
                .hasToString("RedisOptions[address=redis://a:6379, namespace=" + LONGEST_NAME
                        + ", partitions=OptionalInt[1024], durability=replicated(2), node=n-1, lease=PT0.2S,"
                        + " timeout=PT1M, finishedRemembered=0]");
        assertThat(store.withPartitions(1).withLease(Duration.ofMinutes(1)).withTimeout(Duration.ofMillis(100)))
                .hasToString("RedisOptions[address=redis://a:6379, namespace=tickwheel, partitions=OptionalInt[1],"
                        + " durability=memory, node=, lease=PT1M, timeout=PT0.1S, finishedRemembered=100000]");
    }

    @Test
    void optionsAreTheSameInWhicheverOrderTheyWereGiven() {
        assertThat(store.withFinishedRemembered(7)
                        .withTimeout(Duration.ofSeconds(1))
                        .withLease(Duration.ofSeconds(2))
                        .withNode("n-1")
                        .withDurability(Durability.fsync(1))
                        .withPartitions(3)
                        .withNamespace("other"))
                .hasToString("RedisOptions[address=redis://a:6379, namespace=other, partitions=OptionalInt[3],"
                        + " durability=fsync(1), node=n-1, lease=PT2S, timeout=PT1S, finishedRemembered=7]");
    }

    @Test
    void whatIsOutOfItsRangeIsRefusedByName() {
        assertRefused("partitions is 0, must be 1 to 1024", () -> store.withPartitions(0));
        assertRefused("partitions is 1025, must be 1 to 1024", () -> store.withPartitions(1_025));
        String lease = "must be from PT0.2S to PT1M";
        assertRefused("lease is PT0.199S, " + lease, () -> store.withLease(Duration.ofMillis(199)));
        assertRefused("lease is PT1M0.001S, " + lease, () -> store.withLease(Duration.ofMillis(60_001)));
        String timeout = "must be from PT0.1S to PT1M";
        assertRefused("timeout is PT0.099S, " + timeout, () -> store.withTimeout(Duration.ofMillis(99)));
        assertRefused("timeout is PT1M0.001S, " + timeout, () -> store.withTimeout(Duration.ofMillis(60_001)));
        assertRefused("finishedRemembered is -1, must be at least 0", () -> store.withFinishedRemembered(-1));
    }

    @Test
    void namesAreOfFewCharacters() {
        for (String name : new String[] {"", "a b", "a:b", "{a}", "ä", LONGEST_NAME + "x"}) {
            String why = " is " + name + ", must be 1 to 64 letters, digits, dots, underscores or hyphens";
            assertRefused("namespace" + why, () -> store.withNamespace(name));
            assertRefused("node" + why, () -> store.withNode(name));
        }
    }

    @Test
    void levelsOfADiskAreRefused() {
        for (Durability level : new Durability[] {Durability.SYNC, Durability.INTERVAL, Durability.NONE}) {
            assertRefused(
                    "durability is " + level + ", must be memory, replicated(n) or fsync(n) for a store on Redis",
                    () -> store.withDurability(level));
        }
        assertThat(store.withDurability(Durability.fsync(0)).toString()).contains("fsync(0)");
    }
}
