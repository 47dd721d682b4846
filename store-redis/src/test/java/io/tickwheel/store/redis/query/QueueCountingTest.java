package io.tickwheel.store.redis.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Answer;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Text;
import io.tickwheel.store.redis.link.HeldCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Counts of queues in pieces, as a scan gives them. */
final class QueueCountingTest implements Answer<List<QueueCounts>> {

    private final HeldCalls link = new HeldCalls();
    private final Layout layout = new Layout("test", 2);
    private final Queries queries = new Queries(layout, link, TimeUnit.SECONDS.toNanos(2), () -> true);
    private final List<QueueCounts> counts = new ArrayList<>();

    @Override
    public void accept(List<QueueCounts> given) {
        counts.addAll(given);
    }

    @Override
    public void fail(StoreException failure) {
        throw failure;
    }

    private static List<?> piece(String cursor, String... fields) {
        return List.of(
                Text.bytes(cursor), List.of(fields).stream().map(Text::bytes).toList());
    }

    private String cursorAsked() {
        return Text.string(link.sent.get(0).arguments.get(0));
    }

    /** While a hash changes its size, a scan may come by a field twice. */
    @Test
    void queueThatAScanComesByTwiceIsCountedOnce() {
        queries.queues(this);
        link.answer(piece("17", "porders", "3", "dorders", "1"));
        link.answer(piece("0", "porders", "2"));
        assertThat(cursorAsked()).isEqualTo("17");
        link.answer(piece("0", "porders", "4", "cmails", "1"));
        assertThat(counts).containsExactly(new QueueCounts("mails", 0, 1, 0), new QueueCounts("orders", 6, 0, 1));
        assertThat(link.sent).isEmpty();
    }
}
