package io.tickwheel.store.redis.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.Answer;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Planted;
import io.tickwheel.store.redis.link.DirectLink;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** So many timers in flight that one piece has not all of them. */
@Timeout(90)
final class DueCountingTest implements Answer<DueCounts> {

    private static final int WITHIN = 500;
    private static final long NEAR_MS = 1 << 16;
    private static final long FAR_MS = 1 << 22;
    private static final int SLICES_A_LOOK = 128;

    /** More than a piece looks at. */
    private static final int AT_THE_END = 2_500;

    private final List<DueCounts> given = new ArrayList<>();

    @Override
    public void accept(DueCounts counts) {
        given.add(counts);
    }

    @Override
    public void fail(StoreException failure) {
        throw failure;
    }

    @Test
    void whatIsDueAtTheEndOfTheLastBucketIsNotInIt() throws Exception {
        Layout layout = new Layout("test", 1);
        try (RedisServer server = RedisServer.builder().start();
                DirectLink link = new DirectLink(server.port());
                Planted planted = new Planted(server.port(), layout)) {
            for (int i = 0; i < WITHIN + AT_THE_END; i++) {
                long dueAtMs = Planted.NOW_MS + (i < WITHIN ? 1_999 : 2_000);
                planted.plant(planted.timer("q", "k" + i, TimerState.CLAIMED, false, dueAtMs, 0));
            }
            planted.count();
            assertCounts(layout, link, Planted.NOW_MS, 1_000, 0L, (long) WITHIN);
        }
    }

    /** A wide one and a narrow one; the first of them is the last that a look at the directory brings. */
    @Test
    void pieceEndsBeforeTwoSlicesThatBeginTogether() throws Exception {
        Layout layout = new Layout("test", 1);
        try (RedisServer server = RedisServer.builder().start();
                DirectLink link = new DirectLink(server.port());
                Planted planted = new Planted(server.port(), layout)) {
            long firstMs = Planted.NOW_MS - Planted.NOW_MS % FAR_MS;
            for (int i = 0; i < SLICES_A_LOOK - 1; i++) {
                planted.plant(planted.timer("q", "k" + i, TimerState.PENDING, false, firstMs + i * NEAR_MS, 0));
            }
            long togetherMs = firstMs + SLICES_A_LOOK * NEAR_MS;
            assertThat(togetherMs % FAR_MS).isZero();
            planted.plant(planted.timer("q", "wide", TimerState.PENDING, true, togetherMs, 0));
            planted.plant(planted.timer("q", "narrow", TimerState.PENDING, false, togetherMs, 0));
            planted.count();
            assertCounts(layout, link, firstMs, SLICES_A_LOOK * NEAR_MS, SLICES_A_LOOK - 1L, 2L);
        }
    }

    private void assertCounts(Layout layout, DirectLink link, long fromMs, long bucketMs, Long... counts) {
        Queries queries = new Queries(layout, link, TimeUnit.SECONDS.toNanos(20), () -> true);
        for (String queue : new String[] {"q", null}) {
            given.clear();
            queries.countDue(new DueCountQuery(queue, fromMs, bucketMs, 2), this);
            long sinceNanos = System.nanoTime();
            while (given.isEmpty()) {
                assertThat(System.nanoTime() - sinceNanos)
                        .as("it does not end")
                        .isLessThan(TimeUnit.SECONDS.toNanos(30));
                queries.work(0);
                link.flush();
                link.deliver(100);
            }
            assertThat(given.get(0).counts()).containsExactly(counts);
        }
    }
}
