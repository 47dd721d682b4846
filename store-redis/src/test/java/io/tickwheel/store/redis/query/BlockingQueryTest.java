package io.tickwheel.store.redis.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.link.Call;
import io.tickwheel.store.redis.link.HeldCalls;
import io.tickwheel.store.redis.link.PassingLink;
import io.tickwheel.store.redis.link.Reply;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class BlockingQueryTest {

    private static List<?> range(long first, long last, String host, long port) {
        return List.of(first, last, List.of(Layout.bytes(host), port, Layout.bytes("id")));
    }

    /** Whoever looks for keys asks each master, also where several are on one machine. */
    @Test
    void eachMasterIsFoundByOneOfItsSlots() {
        List<?> ranges = List.of(
                range(0, 99, "a", 6379),
                range(100, 199, "a", 6380),
                range(200, 299, "b", 6379),
                range(300, 399, "a", 6380));
        HeldCalls cluster = new HeldCalls();
        cluster.isCluster = true;
        BlockingQuery query = new BlockingQuery(
                new PassingLink(cluster) {
                    @Override
                    public Reply await(Call call, Duration timeout) {
                        assertThat(call.command).isEqualTo("CLUSTER");
                        return new Reply(Reply.Outcome.DONE, ranges, "", 1);
                    }
                },
                Duration.ofSeconds(1));
        assertThat(query.slotOfEachMaster(new Layout("t", 8))).containsExactly(0, 100, 200);
    }
}
