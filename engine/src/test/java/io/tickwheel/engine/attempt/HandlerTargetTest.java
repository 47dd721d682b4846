package io.tickwheel.engine.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Destination;
import io.tickwheel.store.TimerKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When attempts for handlers are handed over, and looked after; the threads are tasks that the test runs. */
final class HandlerTargetTest {

    private static final Instant NOW = Instant.ofEpochMilli(77);

    private final ArrayDeque<Runnable> threads = new ArrayDeque<>();
    private final List<String> outcomes = new ArrayList<>();
    private final HandlerTarget target = new HandlerTarget(threads::add, new Clock() {

        @Override
        public Instant now() {
            return NOW;
        }

        @Override
        public long monoNanos() {
            return 5;
        }
    });

    private void deliver(String queue) {
        target.deliver(
                new Attempt(
                        new TimerKey(queue, "k"),
                        "id",
                        1,
                        1,
                        Instant.EPOCH,
                        Instant.EPOCH,
                        Duration.ZERO,
                        new byte[0],
                        null,
                        Map.of(),
                        new Destination(Destination.HANDLER, queue)),
                new NotedDelivery(outcomes));
    }

    /** What is behind one that hangs gets threads only when somebody looks. */
    @Test
    void handlerIsLookedAfterUntilItHasTakenAll() {
        target.register("q", attempt -> {});
        assertThat(target.handOver()).as("nothing was delivered").isEqualTo(Long.MAX_VALUE);
        deliver("q");
        assertThat(threads).as("it is gathered over a turn").isEmpty();
        assertThat(target.handOver()).isEqualTo(HandlerCalls.STUCK_NANOS);
        assertThat(target.handOver()).as("nothing was taken").isEqualTo(HandlerCalls.STUCK_NANOS);
        threads.remove().run();
        assertThat(outcomes).containsExactly("acknowledged");
        assertThat(target.handOver()).isEqualTo(Long.MAX_VALUE);
        deliver("q");
        assertThat(target.handOver()).as("it is known anew").isEqualTo(HandlerCalls.STUCK_NANOS);
    }

    @Test
    void handlerThatWasRemovedIsWaitedFor() {
        target.register("q", attempt -> {});
        assertThat(target.has("q")).isTrue();
        assertThatIllegalStateException()
                .isThrownBy(() -> target.register("q", attempt -> {}))
                .withMessage("queue q has a handler already");
        assertThat(target.unregister("q")).isTrue();
        assertThat(target.unregister("q")).isFalse();
        deliver("q");
        assertThat(outcomes).containsExactly("its handler was removed until " + NOW);
        assertThat(target.handOver()).isEqualTo(Long.MAX_VALUE);
    }
}
