package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.ConsumerOptions;
import io.tickwheel.engine.LeaseConsumer;
import io.tickwheel.engine.NeverAgainException;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.engine.TryAgainAtException;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Changed;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.TimerView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Consumers inside a program that come and go, while timers are scheduled, replaced, rescheduled and cancelled, handlers succeed, fail, ask for another time, stall the
 * machine or change the timer that they work on, and engines are closed or lost; all steps of all threads in any order. What must hold of each beginning of an
 * attempt is looked at in the handler, and in the end nothing is left over.
 */
@Tag("simulated")
class ConsumerLivesTest {

    private static final int MEMORY_SEEDS = Integer.getInteger("tickwheel.seeds", 80);
    private static final int FILE_SEEDS = Math.max(1, MEMORY_SEEDS / 4);
    private static final int STEPS = 150;
    private static final int KEYS = 6;
    private static final int MOST_ATTEMPTS = 3;
    private static final int MOST_CONSUMERS = 3;
    private static final Duration TTL = Duration.ofSeconds(3);

    /** One timer under a key, told from others by what it delivers. */
    private static final class Version {
        final String key;
        Instant notBefore;
        int number;
        boolean isOfTheSameNumber;
        boolean succeeded;
        boolean refused;
        boolean cancelled;

        /** How often the machine had been stalled when the last attempt began. */
        int stallsBefore;

        /** Whether it was replaced or cancelled while somebody had it: one beginning may follow at most. */
        boolean lastOne;

        /** Whether no attempt may begin any more. */
        boolean over;

        Version(String key, Instant notBefore) {
            this.key = key;
            this.notBefore = notBefore;
        }

        void end(boolean wasHeld) {
            if (wasHeld) {
                lastOne = true;
            } else {
                over = true;
            }
        }
    }

    private static final class Life {

        private final LostEngine world;
        private final SplittableRandom random;
        private final Map<String, Version> byText = new HashMap<>();
        private final Map<String, Version> standing = new HashMap<>();
        private final Set<String> busy = new HashSet<>();
        private final List<LeaseConsumer> consumers = new ArrayList<>();
        private final List<String> broken = new ArrayList<>();
        private int stalls;
        private Instant stalledUntil = Instant.MIN;
        private int begun;
        private boolean calm;

        Life(LostEngine world, long seed) {
            this.world = world;
            this.random = new SplittableRandom(seed);
        }

        void live() {
            for (int i = 0; i < STEPS; i++) {
                step();
                assertThat(broken).isEmpty();
            }
            calm = true;
            settle();
            consume();
            for (int i = 0; i < 60; i++) {
                world.threads().advance(Duration.ofSeconds(2));
            }
            assertThat(broken).isEmpty();
            standing.forEach((key, version) -> {
                TimerView view = settled(world.engine().find("q", key)).orElseThrow();
                boolean known = switch (view.state()) {
                    case COMPLETED -> version.succeeded;
                    case CANCELLED -> version.cancelled;
                    case DEAD -> version.refused || view.attempts() == MOST_ATTEMPTS;
                    default -> false;
                };
                assertThat(known).as("%s is %s", key, view).isTrue();
            });
            assertThat(world.engine().liveCount()).isZero();
            assertThat(world.engine().stats().running()).isZero();
            List<QueueCounts> counts = settled(world.engine().queues());
            assertThat(counts).allMatch(queue -> queue.pending() == 0 && queue.claimed() == 0);
            closeAll();
        }

        private void step() {
            switch (random.nextInt(20)) {
                case 0, 1, 2, 3 -> schedule(key());
                case 4 -> cancel(key());
                case 5, 6 -> reschedule();
                case 7 -> consume();
                case 8 -> close();
                case 9 -> lose();
                case 10, 11, 12 -> {
                    for (int i = random.nextInt(20); i > 0; i--) {
                        world.threads().step();
                    }
                }
                default -> world.threads().advance(Duration.ofMillis(random.nextInt(2_000)));
            }
        }

        private String key() {
            return "k" + random.nextInt(KEYS);
        }

        private Instant now() {
            return world.clock().now();
        }

        /** Has one command for each key be under way, so that what it meets is known. */
        private <T> void ask(String key, CompletableFuture<T> answer, Consumer<T> answered) {
            busy.add(key);
            var unused = answer.thenAccept(given -> {
                busy.remove(key);
                answered.accept(given);
            });
        }

        private void schedule(String key) {
            if (busy.contains(key)) {
                return;
            }
            String text = key + "#" + byText.size();
            Duration delay = Duration.ofMillis(random.nextInt(3) * 700L);
            Version version = new Version(key, now().plus(delay));
            byText.put(text, version);
            ask(key, world.engine().schedule(TimerRequest.after("q", key, delay).withText(text)), answer -> {
                Version before = standing.put(key, version);
                if (before != null) {
                    before.end(answer.previous() == Scheduled.Previous.CLAIMED);
                }
            });
        }

        private void cancel(String key) {
            Version version = standing.get(key);
            if (version == null || busy.contains(key)) {
                return;
            }
            ask(key, world.engine().cancel("q", key), answer -> {
                version.cancelled |= answer.outcome() != Cancelled.Outcome.TOO_LATE;
                version.end(answer.outcome() == Cancelled.Outcome.LAST_ATTEMPT_RUNNING);
            });
        }

        private void reschedule() {
            String key = key();
            Version version = standing.get(key);
            if (version == null || busy.contains(key)) {
                return;
            }
            Duration delay = Duration.ofMillis(random.nextInt(3_000));
            Instant before = version.notBefore;
            Instant after = now().plus(delay);
            version.notBefore = before.isBefore(after) ? before : after;
            ask(key, world.engine().reschedule("q", key, delay), answer -> {
                if (answer.outcome() == Changed.Outcome.CHANGED) {
                    version.notBefore = after;
                }
            });
        }

        private void consume() {
            if (consumers.size() < MOST_CONSUMERS) {
                ConsumerOptions options = ConsumerOptions.DEFAULTS
                        .withConcurrency(1 + random.nextInt(2))
                        .withMax(2 + random.nextInt(3))
                        .withTtl(TTL);
                boolean[] closed = new boolean[1];
                LeaseConsumer consumer = world.engine().consume("q", options, attempt -> {
                    if (closed[0]) {
                        broken.add(attempt.text() + " begins by a consumer that is closed");
                    }
                    handle(attempt);
                });
                consumers.add(() -> consumer.closeAsync().thenRun(() -> closed[0] = true));
            }
        }

        private void close() {
            if (!consumers.isEmpty()) {
                var unused = consumers.remove(random.nextInt(consumers.size())).closeAsync();
            }
        }

        private void closeAll() {
            List<CompletableFuture<Void>> closed =
                    consumers.stream().map(LeaseConsumer::closeAsync).toList();
            consumers.clear();
            settle();
            assertThat(closed).allMatch(CompletableFuture::isDone);
        }

        private void settle() {
            world.threads().runUntilIdle();
            assertThat(busy).as("commands without an answer").isEmpty();
        }

        private void lose() {
            settle();
            if (random.nextBoolean()) {
                if (random.nextBoolean()) {
                    closeAll();
                }
                world.restart();
            } else {
                world.crash();
            }
            consumers.clear();
            // What was leased by then is over, and what was replaced or cancelled is so for good.
            byText.values().forEach(version -> version.over |= version.lastOne);
        }

        // ---- as the handler

        private void handle(Attempt attempt) throws Exception {
            begun++;
            Version version = byText.get(attempt.text());
            look(attempt, version);
            version.number = attempt.number();
            version.isOfTheSameNumber = false;
            version.over |= version.lastOne;
            // At the end of a stall, the lease may have been given before it.
            version.stallsBefore = now().equals(stalledUntil) ? stalls - 1 : stalls;
            version.succeeded = false;
            version.refused = false;
            version.notBefore = now();
            int how = calm ? 0 : random.nextInt(12);
            if (random.nextInt(4) == 0 && !calm) {
                meddle(version.key);
            }
            switch (how) {
                case 1, 2 -> throw new IllegalStateException("as it happens");
                case 3 -> {
                    version.isOfTheSameNumber = true;
                    version.notBefore = now().plusMillis(random.nextInt(2_000));
                    throw new TryAgainAtException("later", version.notBefore);
                }
                case 4 -> {
                    version.refused = true;
                    throw new NeverAgainException("no use");
                }
                case 5 -> {
                    stalls++;
                    world.clock().advance(Duration.ofMillis(500 + random.nextInt(4_000)));
                    stalledUntil = now();
                    version.succeeded = true;
                }
                default -> version.succeeded = true;
            }
        }

        private void look(Attempt attempt, Version version) {
            String what = attempt.text() + " as attempt " + attempt.number();
            if (version.over) {
                broken.add(what + " begins although it is over");
            }
            boolean isCounted = attempt.number() > version.number;
            boolean mayHaveExpired = version.stallsBefore != stalls;
            if (version.isOfTheSameNumber && isCounted && !mayHaveExpired) {
                broken.add(what + " begins although the one before asked for another time");
            }
            // The wish of whose lease has expired counts for nothing.
            if (now().isBefore(version.notBefore) && !(version.isOfTheSameNumber && isCounted)) {
                broken.add(what + " begins at " + now() + ", before " + version.notBefore);
            }
            boolean isNext = isCounted || (version.isOfTheSameNumber && attempt.number() == version.number);
            if (!isNext || attempt.number() > MOST_ATTEMPTS) {
                broken.add(what + " begins behind attempt " + version.number);
            }
            if ((version.succeeded || version.refused) && !mayHaveExpired) {
                broken.add(what + " begins again although it had succeeded, or was refused");
            }
        }

        /** Changes the timer that it works on, and does not wait for the answer. */
        private void meddle(String key) {
            if (random.nextBoolean()) {
                schedule(key);
            } else {
                cancel(key);
            }
        }

        private <T> T settled(CompletableFuture<T> answer) {
            world.threads().runUntilIdle();
            assertThat(answer).as("answered").isDone();
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
        int begun = 0;
        for (long seed = 0; seed < seeds; seed++) {
            Life life = new Life(worlds.apply(seed), seed);
            try {
                life.live();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
            begun += life.begun;
        }
        assertThat(begun).as("attempts").isGreaterThan(seeds * 10);
    }
}
