package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseGoneException;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Changed;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Consumers, schedules, changes of timers, cancels, pauses, restarts and crashes at random, against what must be known of each lease and timer: one lease is valid at a
 * time, what is asked of a valid one has its effect, and of any other none; each look at a timer shows what is known of it; and in the end each has been acknowledged
 * once, or was cancelled, or is dead, and nothing is left over.
 */
@Tag("simulated")
class LeaseLivesTest {

    private static final int MEMORY_SEEDS = Integer.getInteger("tickwheel.seeds", 80);
    private static final int FILE_SEEDS = Math.max(1, MEMORY_SEEDS / 4);
    private static final int STEPS = 120;
    private static final int KEYS = 8;
    private static final int MOST_ATTEMPTS = 3;

    /** What is known of one version of a timer. */
    private static final class Known {
        final String key;
        int counted;
        boolean countIsKnown = true;
        boolean replaced;
        boolean cancelled;
        boolean completed;
        boolean dead;
        Instant notBefore;

        /** How many attempts it had before it was redriven last: no late acknowledgement counts for the numbers of these. */
        int countedBefore;

        @Nullable
        Given valid;

        /** Leases of one attempt that ended with their engine: claims are written nowhere, so each of them may be the one that has succeeded. */
        final Set<Given> late = new HashSet<>();

        Known(String key, Instant notBefore) {
            this.key = key;
            this.notBefore = notBefore;
        }

        boolean isOver() {
            return completed || dead || (cancelled && valid == null) || (replaced && valid == null);
        }

        boolean isPending() {
            return !isOver() && valid == null;
        }

        boolean takesLate(Instant now) {
            return isPending() && !now.isBefore(notBefore) && counted >= countedBefore;
        }

        TimerState state() {
            if (completed) {
                return TimerState.COMPLETED;
            } else if (dead) {
                return TimerState.DEAD;
            } else if (valid != null) {
                return TimerState.CLAIMED;
            }
            return cancelled ? TimerState.CANCELLED : TimerState.PENDING;
        }

        void fail(Instant again) {
            counted++;
            valid = null;
            late.clear();
            notBefore = again;
            dead |= counted >= MOST_ATTEMPTS && !cancelled && !replaced && countIsKnown;
        }
    }

    /** A lease that was given. */
    private static final class Given {
        final String id;
        final Known timer;
        Instant expiresAt;

        Given(String id, Known timer, Instant expiresAt) {
            this.id = id;
            this.timer = timer;
            this.expiresAt = expiresAt;
        }
    }

    private static final class Life {

        private final LostEngine world;
        private final SplittableRandom random;
        private final Map<String, Known> byId = new HashMap<>();
        private final Map<String, Known> standing = new HashMap<>();
        private final List<Given> given = new ArrayList<>();
        private final List<CompletableFuture<List<Lease>>> polls = new ArrayList<>();
        private int acknowledged;
        private int late;
        private int changed;

        Life(LostEngine world, long seed) {
            this.world = world;
            this.random = new SplittableRandom(seed);
        }

        void live() {
            for (int i = 0; i < STEPS; i++) {
                step();
                look();
                lookAt(key());
            }
            settled(world.engine().changeQueue("q", QueueChange.resume()));
            polls.forEach(poll -> poll.cancel(false));
            polls.clear();
            for (int i = 0; i < 40; i++) {
                advance(Duration.ofSeconds(3));
                poll(LeaseRequest.of("q").withMax(5).withWait(Duration.ofSeconds(1)));
                advance(Duration.ofSeconds(2));
                List.copyOf(given).forEach(this::acknowledge);
            }
            for (Known timer : standing.values()) {
                assertThat(timer.isOver()).as("%s is over", timer.key).isTrue();
                lookAt(timer.key);
            }
            assertThat(world.engine().liveCount()).isZero();
            assertThat(world.engine().stats().running()).isZero();
            assertThat(world.engine().stats().waiting()).isEmpty();
            long dead = standing.values().stream().filter(timer -> timer.dead).count();
            List<QueueCounts> counts = settled(world.engine().queues());
            assertThat(counts).allMatch(queue -> queue.pending() == 0 && queue.claimed() == 0);
            assertThat(counts.stream().mapToLong(QueueCounts::dead).sum()).isEqualTo(dead);
        }

        private String key() {
            return "k" + random.nextInt(KEYS);
        }

        private void lookAt(String key) {
            Optional<TimerView> found = settled(world.engine().find("q", key));
            Known timer = standing.get(key);
            assertThat(found.map(TimerView::state))
                    .as(key)
                    .isEqualTo(Optional.ofNullable(timer).map(Known::state));
            if (timer != null && timer.countIsKnown && timer.state() == TimerState.PENDING) {
                assertThat(found.orElseThrow().attempts()).as(key).isEqualTo(timer.counted);
            }
        }

        private void step() {
            switch (random.nextInt(25)) {
                case 0, 1, 2, 3 -> schedule();
                case 4, 5, 6, 7, 8 ->
                    poll(LeaseRequest.of("q")
                            .withMax(1 + random.nextInt(4))
                            .withWait(Duration.ofMillis(random.nextInt(3) * 1_500L))
                            .withTtl(Duration.ofSeconds(1 + random.nextInt(4))));
                case 9, 10, 11 -> any(this::acknowledge);
                case 12 -> any(this::nack);
                case 13 -> any(this::extend);
                case 14 -> cancel();
                case 15 -> withdraw();
                case 16 -> pauseOrLose();
                case 17 -> any(this::bury);
                case 18, 19 -> reschedule();
                case 20 -> redrive();
                case 21 -> purge();
                default -> advance(Duration.ofMillis(random.nextInt(3_000)));
            }
        }

        private void schedule() {
            String key = key();
            Duration delay = Duration.ofMillis(random.nextInt(3_000));
            Instant notBefore = now().plus(delay);
            CompletableFuture<Scheduled> answer = world.engine().schedule(TimerRequest.after("q", key, delay));
            world.threads().runUntilIdle();
            assertThat(answer).as("answered").isDone();
            Known before = standing.get(key);
            if (before != null) {
                before.replaced = true;
            }
            Known timer = new Known(key, notBefore);
            standing.put(key, timer);
            byId.put(answer.join().timer().id(), timer);
            look();
        }

        private Instant now() {
            return world.clock().now();
        }

        /** Of a pending timer only. */
        private void reschedule() {
            String key = key();
            boolean atOnce = random.nextInt(3) == 0;
            Duration delay = Duration.ofMillis(random.nextInt(4_000));
            Known timer = standing.get(key);
            boolean may = timer != null && timer.isPending();
            Instant notBefore = atOnce ? now() : now().plus(delay);
            CompletableFuture<Changed> answer =
                    atOnce ? world.engine().runNow("q", key) : world.engine().reschedule("q", key, delay);
            if (changed(answer, timer, may)) {
                timer.notBefore = notBefore;
            }
        }

        private void redrive() {
            String key = key();
            Known timer = standing.get(key);
            if (changed(world.engine().redrive("q", key), timer, timer != null && timer.dead)) {
                timer.dead = false;
                timer.cancelled = false;
                timer.countedBefore = Math.max(timer.countedBefore, timer.counted);
                timer.counted = 0;
                timer.countIsKnown = true;
                timer.late.clear();
                timer.notBefore = now();
            }
        }

        private void purge() {
            String key = key();
            Known timer = standing.get(key);
            if (changed(world.engine().purge("q", key), timer, timer != null && timer.dead)) {
                standing.remove(key);
            }
        }

        /** Whether it was done, which must be so exactly when it may. What is due at once may be leased by the time of the answer. */
        private boolean changed(CompletableFuture<Changed> answer, @Nullable Known timer, boolean may) {
            world.threads().runUntilIdle();
            assertThat(answer).as("answered").isDone();
            assertThat(answer.join().outcome())
                    .isEqualTo(
                            may
                                    ? Changed.Outcome.CHANGED
                                    : timer == null ? Changed.Outcome.NOT_FOUND : Changed.Outcome.WRONG_STATE);
            changed += may ? 1 : 0;
            return may;
        }

        private void poll(LeaseRequest request) {
            polls.add(world.engine().lease(request));
            world.threads().runUntilIdle();
            look();
        }

        private void withdraw() {
            if (!polls.isEmpty()) {
                polls.get(random.nextInt(polls.size())).cancel(false);
                world.threads().runUntilIdle();
            }
        }

        private void pauseOrLose() {
            switch (random.nextInt(6)) {
                case 0 -> {
                    world.restart();
                    forgetLeases(false);
                    any(this::acknowledge);
                }
                case 1 -> {
                    world.crash();
                    forgetLeases(true);
                    any(this::acknowledge);
                }
                case 2, 3 -> settled(world.engine().changeQueue("q", QueueChange.pause()));
                default -> settled(world.engine().changeQueue("q", QueueChange.resume()));
            }
            world.threads().runUntilIdle();
        }

        private void forgetLeases(boolean crash) {
            look();
            if (crash) {
                polls.clear();
            } else {
                assertThat(polls).as("polls of an engine that was closed").isEmpty();
            }
            byId.values().forEach(timer -> {
                if (timer.valid != null) {
                    timer.late.add(timer.valid);
                    timer.valid = null;
                    timer.countIsKnown = false;
                }
            });
        }

        private void cancel() {
            String key = key();
            Known timer = standing.get(key);
            Cancelled answer = settled(world.engine().cancel("q", key));
            if (timer != null && !timer.isOver()) {
                timer.cancelled = true;
                assertThat(answer.outcome())
                        .isEqualTo(
                                timer.valid != null
                                        ? Cancelled.Outcome.LAST_ATTEMPT_RUNNING
                                        : Cancelled.Outcome.CANCELLED);
            }
        }

        private void advance(Duration time) {
            long leftMs = time.toMillis();
            while (leftMs > 0) {
                // No longer than until the next lease expires, so that each is seen to.
                long stepMs = Math.min(leftMs, 100);
                world.threads().advance(Duration.ofMillis(stepMs));
                leftMs -= stepMs;
                look();
            }
        }

        private interface Asking {
            void ask(Given lease);
        }

        private void any(Asking asking) {
            if (!given.isEmpty()) {
                asking.ask(given.get(Math.max(random.nextInt(given.size()), random.nextInt(given.size()))));
            }
        }

        private boolean isValid(Given lease) {
            return lease.timer.valid == lease;
        }

        /** Whether what ends it has an effect. */
        private boolean counts(Given lease) {
            return isValid(lease) && !lease.timer.replaced;
        }

        /** Takes note of what was asked to end a lease as an attempt that has failed. */
        private void ended(Given lease, boolean taken, Instant again) {
            if (taken) {
                lease.timer.fail(again);
            } else if (isValid(lease)) {
                lease.timer.valid = null;
            }
        }

        private void acknowledge(Given lease) {
            boolean counts = counts(lease);
            if (lease.timer.late.contains(lease) && lease.timer.takesLate(now())) {
                counts = true;
                late++;
            }
            boolean isTaken = isTaken(world.engine().acknowledge(lease.id));
            assertThat(isTaken)
                    .as("acknowledged: %s of %s", lease.id, lease.timer.key)
                    .isEqualTo(counts);
            if (isValid(lease)) {
                lease.timer.valid = null;
            }
            if (counts) {
                assertThat(lease.timer.completed).as("twice").isFalse();
                lease.timer.completed = true;
                acknowledged++;
            }
        }

        private void nack(Given lease) {
            Duration delay = Duration.ofMillis(random.nextInt(2_000));
            boolean byPolicy = random.nextBoolean();
            boolean taken = isTaken(
                    byPolicy
                            ? world.engine().nack(lease.id, "no")
                            : world.engine().nack(lease.id, delay, "no"));
            assertThat(taken).isEqualTo(counts(lease));
            ended(lease, taken, byPolicy ? now() : now().plus(delay));
        }

        private void bury(Given lease) {
            boolean taken = isTaken(world.engine().bury(lease.id, "no use"));
            assertThat(taken).isEqualTo(counts(lease));
            ended(lease, taken, now());
            lease.timer.dead |= taken && !lease.timer.cancelled;
        }

        private void extend(Given lease) {
            boolean taken = isTaken(world.engine().extend(lease.id, Duration.ofSeconds(3)));
            assertThat(taken).isEqualTo(counts(lease) && !lease.timer.cancelled);
            if (isValid(lease) && lease.timer.replaced) {
                lease.timer.valid = null;
            }
            if (taken) {
                lease.expiresAt = world.clock().now().plusSeconds(3);
            }
        }

        /** Takes note of what was given and what has expired. */
        private void look() {
            Instant now = world.clock().now();
            for (Given lease : given) {
                if (isValid(lease) && !now.isBefore(lease.expiresAt)) {
                    lease.timer.fail(lease.expiresAt);
                }
            }
            polls.removeIf(poll -> {
                if (!poll.isDone()) {
                    return false;
                }
                if (!poll.isCancelled()) {
                    poll.join().forEach(this::given);
                }
                return true;
            });
        }

        private void given(Lease lease) {
            Known timer = byId.get(lease.attempt().id());
            assertThat(timer).as("known").isNotNull();
            assertThat(timer.valid)
                    .as("a lease of %s is valid already", timer.key)
                    .isNull();
            assertThat(timer.isOver()).as("%s is over", timer.key).isFalse();
            assertThat(now()).as("%s is early", timer.key).isAfterOrEqualTo(timer.notBefore);
            if (timer.countIsKnown) {
                assertThat(lease.attempt().number()).as(timer.key).isEqualTo(timer.counted + 1);
            }
            timer.counted = lease.attempt().number() - 1;
            timer.countIsKnown = true;
            Given made = new Given(lease.id(), timer, lease.expiresAt());
            assertThat(given).noneMatch(other -> other.id.equals(lease.id()));
            timer.valid = made;
            given.add(made);
        }

        private boolean isTaken(CompletableFuture<?> answer) {
            world.threads().runUntilIdle();
            assertThat(answer).isDone();
            try {
                answer.join();
                return true;
            } catch (CompletionException e) {
                assertThat(e).hasCauseInstanceOf(LeaseGoneException.class);
                return false;
            }
        }

        private <T> T settled(CompletableFuture<T> answer) {
            world.threads().runUntilIdle();
            assertThat(answer).as("answered").isDone();
            look();
            return answer.join();
        }
    }

    @Test
    void livesInMemory() {
        lived(MEMORY_SEEDS, LostEngine::inMemory);
    }

    @Test
    void livesOnFiles() {
        lived(FILE_SEEDS, LostEngine::onFiles);
    }

    private static void lived(int seeds, LongFunction<LostEngine> worlds) {
        int acknowledged = 0;
        int late = 0;
        int changed = 0;
        for (long seed = 0; seed < seeds; seed++) {
            Life life = new Life(worlds.apply(seed), seed);
            try {
                life.live();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
            acknowledged += life.acknowledged;
            late += life.late;
            changed += life.changed;
        }
        assertThat(acknowledged).isGreaterThan(seeds * 5);
        assertThat(changed).as("rescheduled, redriven or purged").isGreaterThan(seeds * 2);
        assertThat(late).as("acknowledged behind a restart").isGreaterThan(seeds / 10);
    }
}
