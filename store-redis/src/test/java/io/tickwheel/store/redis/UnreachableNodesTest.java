package io.tickwheel.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.engine.WaitingQueue;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.redis.testkit.RedisServer;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.TimerState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Two nodes hold timers back whose destination is not to be reached; one of them leaves, and then the destination is back. */
final class UnreachableNodesTest {

    private static final int TIMERS = 300;
    private static final Destination DESTINATION = new Destination("t", "somewhere");

    private final Map<String, Integer> attempts = new ConcurrentHashMap<>();
    private final Map<String, Integer> deliveries = new ConcurrentHashMap<>();
    private final AtomicBoolean isDown = new AtomicBoolean(true);

    private Tickwheel open(RedisServer redis, AtomicBoolean holdsBack) {
        return Tickwheel.builder(RedisTimerStore.at(RedisAddress.single("redis://127.0.0.1:" + redis.port()))
                        .withPartitions(24)
                        .withLease(Duration.ofSeconds(5)))
                .retry(RetryPolicy.fixed(RetryPolicy.MAX_ATTEMPTS, Duration.ofMillis(1)))
                .target("t", (attempt, delivery) -> {
                    attempts.merge(attempt.key(), 1, Integer::sum);
                    if (isDown.get()) {
                        delivery.unreachable("nobody is there");
                    } else {
                        deliveries.merge(attempt.key(), 1, Integer::sum);
                        delivery.acknowledge();
                    }
                })
                .listener(new EngineListener() {
                    @Override
                    public void waiting(List<WaitingQueue> queues) {
                        if (queues.stream().anyMatch(queue -> queue.reason() == WaitingQueue.Reason.UNREACHABLE)) {
                            holdsBack.set(true);
                        }
                    }
                })
                .open();
    }

    @Test
    void nothingIsLostAndWhatIsCancelledMeanwhileIsNeverAttempted() {
        try (RedisServer redis = RedisServer.builder().start()) {
            AtomicBoolean firstHolds = new AtomicBoolean();
            AtomicBoolean secondHolds = new AtomicBoolean();
            Tickwheel first = open(redis, firstHolds);
            Tickwheel second = open(redis, secondHolds);
            List<String> keys = new ArrayList<>();
            for (int i = 0; i < TIMERS; i++) {
                keys.add("k" + i);
                second.schedule(TimerRequest.after("q", "k" + i, Duration.ofMillis(i))
                                .withDestination(DESTINATION))
                        .join();
            }
            Patience.until("both hold them back", () -> firstHolds.get() && secondHolds.get());
            Set<String> left = new HashSet<>(keys);
            Map<String, Integer> whenCancelled = new HashMap<>();
            for (String key : keys) {
                if (!attempts.containsKey(key) && whenCancelled.size() < TIMERS / 3) {
                    left.remove(key);
                    // An attempt may have been on its way.
                    if (second.cancel("q", key).join().outcome() == Cancelled.Outcome.CANCELLED) {
                        whenCancelled.put(key, attempts.getOrDefault(key, 0));
                    }
                }
            }
            assertThat(whenCancelled).isNotEmpty();
            first.close();
            isDown.set(false);
            Patience.until("all are delivered", () -> deliveries.keySet().containsAll(left));
            whenCancelled.forEach(
                    (key, before) -> assertThat(attempts.getOrDefault(key, 0)).isEqualTo(before));
            assertThat(deliveries)
                    .hasSize(left.size())
                    .allSatisfy((key, times) -> assertThat(times).isEqualTo(1));
            for (String key : left) {
                Patience.until(
                        "it is completed",
                        () -> second.find("q", key).join().orElseThrow().state() == TimerState.COMPLETED);
            }
            second.close();
        }
    }
}
