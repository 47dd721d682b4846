package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Thousands of small histories of real threads, each compared with a timer that does one thing at a time. */
@Tag("races")
class LinearizabilityTest {
    private static final int HISTORIES = Integer.getInteger("tickwheel.histories", 8_000);
    private static final int TIMERS = 5;
    private static final Duration FAR = Duration.ofDays(1);

    @Test
    void everyHistoryIsLinearizable() {
        long seed = Long.getLong("tickwheel.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        Scene[] scene = new Scene[1];
        try (Race race =
                new Race(seed, () -> scene[0].operate(0), () -> scene[0].operate(1), () -> scene[0].expireOrClose())) {
            for (int round = 0; round < HISTORIES; round++) {
                scene[0] = new Scene(random.split());
                race.run();
                scene[0].end();
                assertThat(scene[0].history.isLinearizable())
                        .as("seed %s, round %s, %s", seed, round, scene[0].history)
                        .isTrue();
            }
        }
    }

    /** One timer and what three threads do to it. The clock stands still. */
    private static final class Scene {
        private final AtomicLong counter = new AtomicLong();
        private final StrictTime time = new StrictTime(-1);
        private final WheelTimer timer =
                WheelTimer.builder().clock(time).driver(time).stripes(1).build();
        private final AtomicReferenceArray<Timeout> timeouts = new AtomicReferenceArray<>(TIMERS);
        private final List<Runnable> tasks = new ArrayList<>();
        private final Set<Integer> periodic = new HashSet<>();
        private final SplittableRandom[] randoms;
        private final int closing;
        final History history = new History(TIMERS, periodic);
        private volatile long expiryCalled;

        Scene(SplittableRandom random) {
            for (int i = 0; i < TIMERS; i++) {
                int index = i;
                tasks.add(() -> history.add(History.Kind.START, index, "", expiryCalled, now()));
                if (random.nextInt(4) == 0) {
                    periodic.add(i);
                }
            }
            int scheduled = random.nextInt(1, 4);
            for (int i = 0; i < scheduled; i++) {
                schedule(i, random.nextInt(3) > 0);
            }
            randoms = new SplittableRandom[] {random.split(), random.split(), random.split()};
            closing = random.nextInt(4);
        }

        private long now() {
            return counter.getAndIncrement();
        }

        void operate(int actor) {
            SplittableRandom random = randoms[actor];
            if (random.nextInt(3) == 0) {
                schedule(TIMERS - 1 - actor, random.nextBoolean());
            }
            for (int count = random.nextInt(1, 4); count > 0; count--) {
                operate(random.nextInt(TIMERS), random);
            }
            if (actor == 1 && closing == 2) {
                shutdownNow();
            }
        }

        private void operate(int index, SplittableRandom random) {
            Timeout timeout = timeouts.get(index);
            if (timeout == null) {
                long called = now();
                int pending = (int) timer.pending();
                history.add(History.Kind.PENDING, 0, pending, called, now());
                return;
            }
            boolean due = random.nextBoolean();
            int dice = random.nextInt(10);
            long called = now();
            if (dice < 4) {
                boolean cancelled = timeout.cancel();
                history.add(History.Kind.CANCEL, index, cancelled, called, now());
            } else if (dice < 8) {
                boolean moved = timeout.reschedule(due ? Duration.ZERO : FAR);
                history.add(
                        due ? History.Kind.RESCHEDULE_DUE : History.Kind.RESCHEDULE_FAR, index, moved, called, now());
            } else {
                Timeout.State state = timeout.state();
                history.add(History.Kind.STATE, index, state, called, now());
            }
        }

        private void schedule(int index, boolean due) {
            History.Kind kind = due ? History.Kind.SCHEDULE_DUE : History.Kind.SCHEDULE_FAR;
            Duration delay = due ? Duration.ZERO : FAR;
            long called = now();
            try {
                Timeout timeout = periodic.contains(index)
                        ? timer.scheduleWithFixedDelay(tasks.get(index), delay, FAR)
                        : timer.schedule(tasks.get(index), delay);
                history.add(kind, index, true, called, now());
                timeouts.set(index, timeout);
            } catch (RejectedExecutionException e) {
                history.add(kind, index, false, called, now());
            }
        }

        void expireOrClose() {
            for (int count = randoms[2].nextInt(1, 3); count > 0; count--) {
                expire();
            }
            if (closing == 1) {
                long called = now();
                timer.shutdown();
                history.add(History.Kind.SHUTDOWN, 0, "", called, now());
            }
        }

        private void expire() {
            expiryCalled = now();
            time.expire();
            history.add(History.Kind.EXPIRED_ALL, 0, "", expiryCalled, now());
        }

        /** What a driver does that was woken; then nothing may be left that is due. */
        void end() {
            while (time.isDue()) {
                expire();
            }
            if (closing < 2) {
                shutdownNow();
            }
            long called = now();
            history.add(History.Kind.QUIET, 0, "", called, now());
        }

        private void shutdownNow() {
            long called = now();
            List<Runnable> returned = timer.shutdownNow();
            long end = now();
            history.add(History.Kind.SHUTDOWN, 0, "", called, end);
            returned.forEach(task -> history.add(History.Kind.RETURNED, tasks.indexOf(task), "", called, end));
            history.add(History.Kind.CANCELLED_ALL, 0, "", called, end);
        }
    }

    /** The search must say no, too. */
    @Nested
    class OfPlantedBugs {
        private final History history = new History(TIMERS, Set.of(1));
        private long time;

        private OfPlantedBugs then(History.Kind kind, int timer, Object answer) {
            history.add(kind, timer, answer, time, time + 1);
            time += 2;
            return this;
        }

        private OfPlantedBugs during(History.Kind kind, int timer, Object answer, long called, long returned) {
            history.add(kind, timer, answer, called, returned);
            time = Math.max(time, returned + 1);
            return this;
        }

        @Test
        void twoCancelsDoNotBothWin() {
            then(History.Kind.SCHEDULE_DUE, 0, true);
            during(History.Kind.CANCEL, 0, true, 10, 20).during(History.Kind.CANCEL, 0, true, 11, 21);
            assertThat(history.isLinearizable()).isFalse();
        }

        @Test
        void cancelThatWinsKeepsTheTaskFromStarting() {
            then(History.Kind.SCHEDULE_DUE, 0, true);
            during(History.Kind.CANCEL, 0, true, 10, 20).during(History.Kind.START, 0, "", 5, 25);
            during(History.Kind.EXPIRED_ALL, 0, "", 5, 30);
            assertThat(history.isLinearizable()).isFalse();
        }

        @Test
        void cancelThatLosesMeansThatTheTaskHasStarted() {
            then(History.Kind.SCHEDULE_DUE, 0, true).then(History.Kind.CANCEL, 0, false);
            during(History.Kind.START, 0, "", 10, 25).during(History.Kind.EXPIRED_ALL, 0, "", 10, 30);
            assertThat(history.isLinearizable()).isFalse();
        }

        @Test
        void timeoutThatWasMovedAwayDoesNotStart() {
            then(History.Kind.SCHEDULE_DUE, 0, true).then(History.Kind.RESCHEDULE_FAR, 0, true);
            during(History.Kind.START, 0, "", 10, 25).during(History.Kind.EXPIRED_ALL, 0, "", 10, 30);
            assertThat(history.isLinearizable()).isFalse();
        }

        @Test
        void timeoutThatHasExpiredIsNotMoved() {
            then(History.Kind.SCHEDULE_DUE, 0, true);
            during(History.Kind.RESCHEDULE_DUE, 0, true, 26, 27);
            during(History.Kind.START, 0, "", 10, 25).during(History.Kind.EXPIRED_ALL, 0, "", 10, 30);
            assertThat(history.isLinearizable()).isFalse();
        }

        @Test
        void wakeUpIsNotLost() {
            then(History.Kind.SCHEDULE_FAR, 0, true).then(History.Kind.EXPIRED_ALL, 0, "");
            then(History.Kind.RESCHEDULE_DUE, 0, true).then(History.Kind.QUIET, 0, "");
            assertThat(history.isLinearizable()).isFalse();
        }

        @Test
        void closedTimerAcceptsNothing() {
            then(History.Kind.SHUTDOWN, 0, "").then(History.Kind.SCHEDULE_FAR, 0, true);
            assertThat(history.isLinearizable()).isFalse();
        }

        @Test
        void pendingCountsWhatWaits() {
            then(History.Kind.SCHEDULE_FAR, 0, true).then(History.Kind.SCHEDULE_FAR, 1, true);
            then(History.Kind.CANCEL, 0, true).then(History.Kind.PENDING, 0, 2);
            assertThat(history.isLinearizable()).isFalse();
        }

        @Test
        void whatIsNotReturnedByShutdownNowWasNotLost() {
            then(History.Kind.SCHEDULE_FAR, 0, true).then(History.Kind.SCHEDULE_FAR, 1, true);
            during(History.Kind.SHUTDOWN, 0, "", 10, 20).during(History.Kind.RETURNED, 0, "", 10, 20);
            during(History.Kind.CANCELLED_ALL, 0, "", 10, 20);
            assertThat(history.isLinearizable()).isFalse();
        }

        @Test
        void periodicTaskIsCancelledWhileItRuns() {
            then(History.Kind.SCHEDULE_DUE, 1, true);
            during(History.Kind.START, 1, "", 10, 15).during(History.Kind.CANCEL, 1, true, 16, 17);
            during(History.Kind.EXPIRED_ALL, 0, "", 10, 30).during(History.Kind.PENDING, 0, 0, 40, 41);
            assertThat(history.isLinearizable()).isTrue();
        }

        @Test
        void oneShotIsNotCancelledWhileItRuns() {
            then(History.Kind.SCHEDULE_DUE, 0, true);
            during(History.Kind.START, 0, "", 10, 15).during(History.Kind.CANCEL, 0, true, 16, 17);
            during(History.Kind.EXPIRED_ALL, 0, "", 10, 30);
            assertThat(history.isLinearizable()).isFalse();
        }
    }
}
