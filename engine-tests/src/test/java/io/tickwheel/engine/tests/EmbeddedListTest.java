package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.TimerCursor;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Lists and load histograms of an engine. */
class EmbeddedListTest {

    private final SimulatedEngine simulated = new SimulatedEngine(1);

    private Tickwheel engine() {
        return simulated.engine();
    }

    private <T> T answer(CompletableFuture<T> future) {
        simulated.threads().runUntilIdle();
        assertThat(future).isDone();
        assertThat(future).as("answered").isDone();
        return future.join();
    }

    private void schedule(String key, Duration delay) {
        answer(engine().schedule("q", key, delay, new byte[10]));
    }

    @Test
    void pagesFollowEachOtherOverARestart() {
        for (int i = 0; i < 5; i++) {
            schedule("k" + i, Duration.ofDays(10 + i));
        }
        TimerQuery query = TimerQuery.of("q").withLimit(3);
        TimerPage first = answer(engine().list(query));
        assertThat(first.timers()).extracting(timer -> timer.key().key()).containsExactly("k0", "k1", "k2");
        simulated.restart();
        TimerPage second = answer(engine().list(query.withAfter(first.next())));
        assertThat(second.timers()).extracting(timer -> timer.key().key()).containsExactly("k3", "k4");
        assertThat(second.next()).isNull();
    }

    @Test
    void loadBeginsWithTheBucketThatNowIsIn() {
        // The clock stands at 2030-01-01T00:00:00Z.
        simulated.clock.advance(Duration.ofSeconds(50));
        schedule("a", Duration.ofSeconds(9));
        schedule("b", Duration.ofSeconds(10));
        schedule("c", Duration.ofMinutes(3));
        var load = answer(engine().countDue("q", Duration.ofMinutes(1), 3));
        assertThat(load.fromMs())
                .isEqualTo(Instant.parse("2030-01-01T00:00:00Z").toEpochMilli());
        assertThat(load.counts()).containsExactly(1L, 1L, 0L);
        var all = answer(engine().countDue(new DueCountQuery(null, load.fromMs(), 3_600_000, 1)));
        assertThat(all.counts()).containsExactly(3L);
    }

    @Test
    void whatBreaksARuleIsRefusedWithTheValueAndTheRule() {
        refused(() -> engine().list(TimerQuery.of("a b")).isDone(), "U+0020", "letters, digits");
        refused(() -> engine().list(TimerQuery.of("q").withKeyPrefix("a\n")).isDone(), "keyPrefix", "U+000A");
        refused(
                () -> engine().list(TimerQuery.of("q").withKeyPrefix("a".repeat(513)))
                        .isDone(),
                "513 bytes",
                "0 to 512");
        refused(() -> engine().list(TimerQuery.of("q").withKeyPrefix("\ud834")).isDone(), "keyPrefix", "surrogate");
        refused(() -> TimerQuery.of("q").withLimit(0), "limit is 0", "1 to 1000");
        refused(() -> TimerQuery.of("q").withLimit(1_001), "limit is 1001", "1 to 1000");
        refused(() -> TimerQuery.of("q").withDue(2, 1), "dueFromMs is 2", "which is 1");
        refused(() -> TimerQuery.of("q").withState(TimerState.EXPIRED), "state is EXPIRED", "PENDING, CLAIMED or DEAD");
        refused(() -> engine().countDue("q", Duration.ofMillis(999), 1).isDone(), "bucket is PT0.999S", "PT1S to");
        refused(
                () -> engine().countDue("q", Duration.ofNanos(1_000_000_001), 1).isDone(),
                "PT1.000000001S",
                "whole milli");
        refused(
                () -> engine().countDue("q", Duration.ofSeconds(Long.MAX_VALUE), 1)
                        .isDone(),
                "bucket is",
                "PT876000H");
        refused(() -> engine().countDue("q", Duration.ofMinutes(1), 0).isDone(), "buckets is 0", "1 to 1440");
        refused(() -> engine().countDue("q", Duration.ofMinutes(1), 1_441).isDone(), "buckets is 1441", "1 to 1440");
        refused(() -> engine().countDue("", Duration.ofMinutes(1), 1).isDone(), "queue has 0 characters", "1 to 128");
        refused(() -> new DueCountQuery(null, Long.MAX_VALUE, 1_000, 1), "fromMs is 9223372036854775807", "room");
    }

    private static void refused(Supplier<?> call, String value, String rule) {
        assertThatThrownBy(call::get)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(value)
                .hasMessageContaining(rule);
    }

    @Test
    void cursorIsReadBackAndNothingElseIs() {
        for (long dueAtMs : new long[] {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE}) {
            TimerCursor cursor = new TimerCursor(dueAtMs, 42);
            String text = cursor.text();
            assertThat(text).matches("[A-Za-z0-9_-]{28}");
            assertThat(TimerCursor.parse(text)).isEqualTo(cursor);
            for (int i = 0; i < text.length(); i++) {
                String other = text.substring(0, i) + (text.charAt(i) == 'B' ? 'C' : 'B') + text.substring(i + 1);
                refused(() -> TimerCursor.parse(other), "cursor is", "must be one that a page was answered with");
            }
            refused(() -> TimerCursor.parse(text + text), "cursor has 56", "must be one");
            refused(() -> TimerCursor.parse("%".repeat(28)), "cursor is", "must be one");
        }
    }
}
