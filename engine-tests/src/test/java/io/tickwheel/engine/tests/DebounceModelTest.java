package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.NotTouchableException;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Changed;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.testkit.CrashKind;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/**
 * Timers on files that are put off, touched, replaced and cancelled, several commands at once, with time that passes, restarts and crashes: each answer and each delivery is
 * that of a map which does one thing at a time.
 */
final class DebounceModelTest {

    private static final String QUEUE = "debounce";
    private static final int KEYS = 3;
    private static final int STEPS = 16;

    /** A timer that waits; its first moment and its delay are null when it does not know them. */
    private record Known(
            int payload,
            long dueAtMs,
            @Nullable Long firstMs,
            @Nullable Long delayMs,
            @Nullable Long maxWaitMs) {}

    /** A command that was given, and what is to be answered. */
    private record Given(CompletableFuture<?> answer, Runnable check) {}

    private static final class Run {

        private final SplittableRandom random;
        private final SimulatedEngine sim;
        private final Map<Integer, Known> known = new HashMap<>();
        private final List<Given> given = new ArrayList<>();
        private int payloads;

        Run(long seed) {
            random = new SplittableRandom(seed);
            sim = new SimulatedEngine(seed);
        }

        void step() {
            switch (random.nextInt(8)) {
                case 0 -> sim.restart();
                case 1 ->
                    sim.crashAfterALook(List.of(CrashKind.values()).get(random.nextInt(CrashKind.values().length)));
                case 2, 3 -> sim.threads().advance(Duration.ofMillis(random.nextInt(20_000)));
                default -> burst();
            }
            settle();
        }

        /** Commands that do not wait for each other's answers, up to one that makes a timer due now. */
        private void burst() {
            int commands = 1 + random.nextInt(6);
            for (int i = 0; i < commands; i++) {
                int key = random.nextInt(KEYS);
                switch (random.nextInt(8)) {
                    case 0 -> cancel(key);
                    case 1 -> replace(key, false);
                    case 2 -> replace(key, true);
                    case 3, 4 -> touch(key);
                    default -> event(key);
                }
                Known timer = known.get(key);
                if (timer != null && timer.dueAtMs <= sim.clock.wallMs()) {
                    break;
                }
            }
            sim.threads().runUntilIdle();
            given.forEach(command -> {
                assertThat(command.answer).as("answered").isDone();
                command.check.run();
            });
            given.clear();
        }

        private TimerRequest request(int key, long delayMs, int payload) {
            return TimerRequest.after(QUEUE, "k" + key, Duration.ofMillis(delayMs))
                    .withPayload(
                            ByteBuffer.allocate(8).putInt(key).putInt(payload).array())
                    .withDestination(SimulatedEngine.DESTINATION);
        }

        private void event(int key) {
            long delayMs = 1 + random.nextLong(10_000);
            long maxWaitMs = 1 + random.nextLong(30_000);
            int payload = payloads++;
            Known before = known.get(key);
            long nowMs = sim.clock.wallMs();
            long firstMs = before == null || before.firstMs == null ? nowMs : before.firstMs;
            long latestMs = firstMs + maxWaitMs;
            long askedMs = nowMs + delayMs;
            boolean stays = before != null && askedMs < before.dueAtMs && before.dueAtMs <= latestMs;
            Known after = stays ? before : new Known(payload, Math.min(askedMs, latestMs), firstMs, delayMs, maxWaitMs);
            known.put(key, after);
            CompletableFuture<Scheduled> answer = sim.engine()
                    .schedule(request(key, delayMs, payload)
                            .withOnConflict(OnConflict.LATEST)
                            .withMaxWait(Duration.ofMillis(maxWaitMs)));
            given.add(new Given(answer, () -> {
                Scheduled.Outcome made = before == null ? Scheduled.Outcome.CREATED : Scheduled.Outcome.REPLACED;
                assertThat(answer.join().outcome()).isEqualTo(stays ? Scheduled.Outcome.KEPT : made);
                assertThat(answer.join().timer().dueAtMs()).isEqualTo(after.dueAtMs);
            }));
        }

        private void replace(int key, boolean isTouchable) {
            long delayMs = 1 + random.nextLong(10_000);
            int payload = payloads++;
            long nowMs = sim.clock.wallMs();
            known.put(
                    key,
                    new Known(
                            payload, nowMs + delayMs, isTouchable ? nowMs : null, isTouchable ? delayMs : null, null));
            TimerRequest request = request(key, delayMs, payload);
            CompletableFuture<Scheduled> answer =
                    sim.engine().schedule(isTouchable ? request.withTouchable() : request);
            given.add(new Given(
                    answer, () -> assertThat(answer.join().timer().dueAtMs()).isEqualTo(nowMs + delayMs)));
        }

        private void touch(int key) {
            Known before = known.get(key);
            CompletableFuture<Changed> answer = sim.engine().touch(QUEUE, "k" + key);
            if (before == null) {
                given.add(new Given(
                        answer,
                        () -> assertThat(answer.join().outcome())
                                .isIn(Changed.Outcome.NOT_FOUND, Changed.Outcome.WRONG_STATE)));
                return;
            }
            if (before.delayMs == null || before.firstMs == null) {
                given.add(new Given(
                        answer,
                        () -> assertThat(answer)
                                .failsWithin(Duration.ZERO)
                                .withThrowableThat()
                                .withCauseInstanceOf(NotTouchableException.class)));
                return;
            }
            long pushedMs = sim.clock.wallMs() + before.delayMs;
            long dueAtMs = before.maxWaitMs == null
                    ? pushedMs
                    : Math.min(pushedMs, Math.max(before.firstMs + before.maxWaitMs, before.dueAtMs));
            known.put(key, new Known(before.payload, dueAtMs, before.firstMs, before.delayMs, before.maxWaitMs));
            given.add(new Given(answer, () -> {
                assertThat(answer.join().outcome()).isEqualTo(Changed.Outcome.CHANGED);
                assertThat(answer.join().timer())
                        .satisfies(timer -> assertThat(timer.dueAtMs()).isEqualTo(dueAtMs));
            }));
        }

        private void cancel(int key) {
            boolean wasThere = known.remove(key) != null;
            CompletableFuture<Cancelled> answer = sim.engine().cancel(QUEUE, "k" + key);
            given.add(new Given(answer, () -> {
                if (wasThere) {
                    assertThat(answer.join().outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
                }
            }));
        }

        /** Acknowledges what has come, each the last that was accepted of its key, and when it is due. */
        void settle() {
            sim.threads().runUntilIdle();
            while (!sim.started.isEmpty()) {
                SimulatedEngine.Started started = sim.started.remove(0);
                ByteBuffer payload = ByteBuffer.wrap(started.attempt().payload());
                int key = payload.getInt();
                Known timer = known.remove(key);
                assertThat(timer).as("timer of an attempt").isNotNull();
                assertThat(payload.getInt()).isEqualTo(timer.payload);
                assertThat(started.attempt().dueAt().toEpochMilli()).isEqualTo(timer.dueAtMs);
                assertThat(started.atMs()).isGreaterThanOrEqualTo(timer.dueAtMs);
                started.delivery().acknowledge();
                sim.threads().runUntilIdle();
            }
            known.forEach((key, timer) -> {
                assertThat(timer.dueAtMs).as("k%s is due", key).isGreaterThan(sim.clock.wallMs());
                CompletableFuture<Optional<TimerView>> found = sim.engine().find(QUEUE, "k" + key);
                sim.threads().runUntilIdle();
                assertThat(found.join()).get().satisfies(view -> {
                    assertThat(view.state()).isEqualTo(TimerState.PENDING);
                    assertThat(view.dueAtMs()).isEqualTo(timer.dueAtMs);
                });
            });
        }
    }

    @Property
    void timersArePutOffAsInAMap(@ForAll long seed) {
        Run run = new Run(seed);
        for (int i = 0; i < STEPS; i++) {
            run.step();
        }
    }
}
