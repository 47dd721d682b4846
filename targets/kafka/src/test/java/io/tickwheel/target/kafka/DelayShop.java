package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Source;
import io.tickwheel.engine.SourceCounts;
import io.tickwheel.engine.SourceOptions;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.store.TimerStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** An engine with the target and the source: what goes to {@code orders.delayed} comes out of {@code orders}, unless settings say otherwise. */
final class DelayShop implements AutoCloseable {

    final Tickwheel timers;
    private final String address;
    private final Target target;
    private final UnaryOperator<Tickwheel> shown;
    private Source source;

    /** @param shown what the source sees of the engine */
    DelayShop(String address, TimerStore store, UnaryOperator<Tickwheel> shown) {
        this.address = address;
        this.shown = shown;
        this.target = new KafkaTargetKind()
                .open(new TargetOptions(
                        Clock.system(), 2_048, Map.of("bootstrapServers", address, "timeoutMs", "30000")));
        this.timers = Tickwheel.builder(store)
                .target("kafka", target)
                .retry(RetryPolicy.fixed(1_000, Duration.ofMillis(500)))
                .open();
    }

    /** Opens the source, and waits for nothing. */
    DelayShop begin(Map<String, String> settings) {
        return begin(settings, Clock.system());
    }

    /** Opens the source with a clock of its own, and waits for nothing. */
    DelayShop begin(Map<String, String> settings, Clock clock) {
        Map<String, String> all = new HashMap<>(Map.of("bootstrapServers", address, "topics", "orders.delayed=orders"));
        all.putAll(settings);
        source = new KafkaSourceKind().open(new SourceOptions(clock, () -> 7, all), shown.apply(timers));
        return this;
    }

    DelayShop open(Map<String, String> settings) {
        begin(settings);
        awaitReady();
        return this;
    }

    void awaitReady() {
        assertThat(Patience.look(source::unready, unready -> unready.isEmpty())).isEmpty();
    }

    Source source() {
        return source;
    }

    void closeSource() {
        source.close();
    }

    /** Waits until the thread of the source is no more; no other source may be open. */
    void awaitSourceEnded() {
        Patience.until(
                "the thread of the source has ended",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .map(Thread::getName)
                        .noneMatch("tickwheel-kafka-source"::equals));
    }

    /** Waits until so many records have become timers, were known and were refused. */
    void awaitCounts(long scheduled, long known, long refused) {
        SourceCounts seen = Patience.look(
                source::counts,
                counts -> counts.scheduled() + counts.known() + counts.refused() >= scheduled + known + refused);
        assertThat(new SourceCounts(seen.scheduled(), seen.known(), seen.refused(), 0))
                .isEqualTo(new SourceCounts(scheduled, known, refused, 0));
    }

    @Override
    public void close() {
        if (source != null) {
            source.close();
        }
        timers.close();
        target.close();
    }
}
