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
    private final Membership membership = new Membership(layout, namespace, "a", "2:1", 5_000, System.nanoTime());

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
        List<Object> answer = new ArrayList<>(List.of(1L, 0L));
        for (String node : nodes) {
            answer.add(Layout.bytes(node));
        }
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
}
