package io.tickwheel.store.redis.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.link.DirectLink;
import io.tickwheel.store.redis.link.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a node concludes from the heartbeats. */
class MembershipTest {

    private static final int PARTITIONS = 64;

    private static RedisServer server;

    private final Layout layout = new Layout("members", PARTITIONS);
    private final DirectLink link = new DirectLink(server.port());
    private final NamespaceWatch namespace =
            new NamespaceWatch(layout, new FormatCheck(link, layout, Duration.ofSeconds(5)), link);
    private final Membership membership = new Membership(layout, namespace, "a", 1, 5_000, System.nanoTime());

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void close() {
        link.close();
    }

    private void alive(String... nodes) {
        List<byte[]> names = new ArrayList<>();
        List<byte[]> incarnations = new ArrayList<>();
        for (String node : nodes) {
            names.add(Layout.bytes(node));
            // That of b is none that this version knows.
            incarnations.add(Layout.bytes(node.equals("b") ? "2:b" : FormatCheck.mark() + node));
        }
        List<Object> answer = List.of(1L, 0L, names, incarnations);
        membership.beat(false).answered(new Reply(Reply.Outcome.DONE, answer, "", 1));
    }

    private List<String> owners() {
        List<String> owners = new ArrayList<>();
        for (int p = 0; p < PARTITIONS; p++) {
            owners.add(membership.owner(p));
        }
        return owners;
    }

    @Test
    void nodeThatJoinsTakesFromOthersOnly() {
        alive("a", "b");
        List<String> before = owners();
        assertThat(before).contains("a", "b");
        alive("a", "b", "c");
        List<String> after = owners();
        for (int p = 0; p < PARTITIONS; p++) {
            assertThat(after.get(p)).isIn(before.get(p), "c");
        }
        assertThat(after).contains("c");
    }

    /** So it tells the right node of each partition that it gives back. */
    @Test
    void nodeThatLeavesDoesNotCountItself() {
        alive("a", "b", "c");
        membership.leave(System.nanoTime());
        assertThat(owners()).contains("b", "c").doesNotContain("a");
        // As a heartbeat says that was under way.
        alive("a", "b", "c");
        assertThat(owners()).contains("b", "c").doesNotContain("a");
    }

    @Test
    void openingsOfTheOthersAreKnownByTheirNumbers() {
        alive("a", "b");
        assertThat(membership.others()).isEmpty();
        alive("a", "b", "d", "c");
        List<Long> others = membership.others();
        assertThat(others).containsExactly(0xcL, 0xdL);
        alive("a", "d", "c");
        assertThat(membership.others()).as("as long as they are the same").isSameAs(others);
        alive("a", "d");
        assertThat(membership.others()).containsExactly(0xdL);
        alive("a", "fedcba9876543210");
        assertThat(membership.others()).as("any 64 bits").containsExactly(0xfedcba9876543210L);
    }
}
