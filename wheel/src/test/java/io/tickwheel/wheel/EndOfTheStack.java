package io.tickwheel.wheel;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;

/** The program of {@link StackOverflowTest}: makes calls at the end of stacks, and looks who gets through afterwards. */
final class EndOfTheStack {
    private static final Duration LONG = Duration.ofHours(1);
    // More than the stack that is looked for in advance, so that calls fail both before it and behind.
    private static final int DEPTHS = 600;
    private static int rounds;

    private EndOfTheStack() {}

    /** What is kept for later without a call, in which a collection could break. */
    private static final class Kept {
        private final Object[] all = new Object[1 << 18];
        private int count;
    }

    public static void main(String[] args) throws Exception {
        rounds = Integer.parseInt(args[1]);
        switch (args[0]) {
            case "timer" -> timer();
            case "limit" -> limit();
            case "accepted" -> accepted();
            case "driver" -> driver();
            case "tasks" -> tasks();
            case "keyed" -> keyed();
            case "executor" -> executor();
            case "wheel" -> wheel();
            default -> throw new IllegalArgumentException(args[0]);
        }
        System.out.println("all got through");
        System.exit(0);
    }

    /** What one round does at the end of a stack, by its number, so that each kind of call meets each depth. */
    private static void everyRound(Deep.Step end, Deep.Step fresh) throws Exception {
        int overflows = 0;
        for (int round = 0; round < rounds; round++) {
            int kind = round;
            overflows += Deep.atTheEndOfAStack(DEPTHS + round % 7, depth -> end.run(kind));
            Deep.expectAllThrough("round " + round, fresh);
        }
        assertThat(overflows).as("overflows").isGreaterThan(rounds);
    }

    private static void scheduleOrCancel(WheelTimer timer, Kept timeouts, int round) {
        switch (round % 5) {
            case 0 -> {
                Timeout timeout = timer.schedule(() -> {}, LONG);
                timeouts.all[timeouts.count++] = timeout;
            }
            case 1 -> timer.schedule(() -> {}, LONG).cancel();
            case 2 -> {
                Timeout timeout = timer.schedule(() -> {}, Duration.ZERO);
                timeouts.all[timeouts.count++] = timeout;
            }
            case 3 -> {
                if (timeouts.count > 0) {
                    ((Timeout) timeouts.all[--timeouts.count]).cancel();
                }
            }
            default -> {
                if (timeouts.count > 0) {
                    ((Timeout) timeouts.all[timeouts.count - 1]).reschedule(Duration.ofMillis(round));
                }
            }
        }
    }

    /** A schedule, a cancel, and one that has to run. */
    private static void callAndSeeItRun(WheelTimer timer) throws InterruptedException {
        timer.schedule(() -> {}, LONG).cancel();
        CountDownLatch ran = new CountDownLatch(1);
        timer.schedule(ran::countDown, Duration.ofMillis(1));
        ran.await();
    }

    static void timer() throws Exception {
        Kept timeouts = new Kept();
        try (WheelTimer timer = WheelTimer.builder().stripes(1).build()) {
            everyRound(round -> scheduleOrCancel(timer, timeouts, round), n -> callAndSeeItRun(timer));
            timer.shutdownNow();
        }
    }

    static void limit() throws Exception {
        int limit = 5_000;
        Kept timeouts = new Kept();
        StrictTime time = new StrictTime(0);
        WheelTimer timer = WheelTimer.builder()
                .stripes(1)
                .clock(time)
                .driver(time)
                .maxPending(limit)
                .build();
        everyRound(
                round -> {
                    try {
                        scheduleOrCancel(timer, timeouts, round);
                    } catch (RejectedExecutionException full) {
                        ((Timeout) timeouts.all[--timeouts.count]).cancel();
                    }
                },
                n -> {});
        time.advance(SECONDS.toNanos(1));
        // A handle may have been lost on its way out of the depth; the timeout is pending then.
        long pending = timer.pending();
        try {
            while (true) {
                timer.schedule(() -> {}, LONG);
            }
        } catch (RejectedExecutionException full) {
            assertThat(timer.pending()).isEqualTo(limit).isGreaterThan(pending);
        }
    }

    static void accepted() throws Exception {
        StrictTime time = new StrictTime(0);
        WheelTimer timer =
                WheelTimer.builder().stripes(1).clock(time).driver(time).build();
        int[] counts = new int[2];
        for (int round = 0; round < rounds; round++) {
            int delay = round * 7;
            Deep.atTheEndOfAStack(DEPTHS, depth -> {
                timer.schedule(() -> counts[1]++, delay, MILLISECONDS);
                counts[0]++;
            });
        }
        assertThat(timer.pending()).isEqualTo(counts[0]);
        time.advance(MILLISECONDS.toNanos(7L * rounds));
        assertThat(counts[1]).isEqualTo(counts[0]).isPositive();
        assertThat(timer.pending()).isZero();
    }

    static void driver() throws Exception {
        StrictTime time = new StrictTime(0);
        WheelTimer timer =
                WheelTimer.builder().stripes(2).clock(time).driver(time).build();
        int[] ran = new int[1];
        int scheduled = 0;
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < 200; i++) {
                timer.schedule(() -> ran[0]++, 1 + i * 3, MILLISECONDS);
                scheduled++;
            }
            time.pass(MILLISECONDS.toNanos(round % 400));
            Deep.atTheEndOfAStack(DEPTHS, depth -> time.expire());
        }
        time.advance(MILLISECONDS.toNanos(1_000));
        assertThat(ran[0]).isEqualTo(scheduled);
        assertThat(timer.pending()).isZero();
        assertThat(timer.isShutdown()).isFalse();
    }

    static void tasks() throws Exception {
        Kept timeouts = new Kept();
        try (WheelTimer timer =
                WheelTimer.builder().stripes(1).listener(new Deaf()).build()) {
            for (int round = 0; round < rounds; round++) {
                int kind = round;
                timer.schedule(() -> dive(timer, timeouts, kind), 0, NANOSECONDS);
                Deep.expectAllThrough("round " + round, n -> callAndSeeItRun(timer));
            }
        }
    }

    @SuppressWarnings("InfiniteRecursion") // Until the stack ends.
    private static void dive(WheelTimer timer, Kept timeouts, int round) {
        try {
            dive(timer, timeouts, round);
        } finally {
            if (round % 2 == 0) {
                scheduleOrCancel(timer, timeouts, round);
            }
        }
    }

    private static final class Deaf implements WheelTimerListener {
        @Override
        public void taskFailed(Timeout timeout, Throwable thrown) {}

        @Override
        public void taskRejected(Timeout timeout, Runnable task, Throwable cause) {}
    }

    static void keyed() throws Exception {
        try (WheelTimer timer = WheelTimer.builder().stripes(1).build()) {
            KeyedTimer<Integer> keyed = new KeyedTimer<>(timer);
            everyRound(
                    round -> {
                        switch (round % 4) {
                            case 0 -> keyed.schedule(round % 64, () -> {}, LONG);
                            case 1 -> keyed.scheduleIfAbsent(round % 64, () -> {}, LONG);
                            case 2 -> keyed.cancel((round + 1) % 64);
                            default -> keyed.touch((round + 1) % 64);
                        }
                    },
                    n -> {
                        keyed.schedule(n, () -> {}, LONG);
                        keyed.touch(n);
                        keyed.cancel(n);
                        CountDownLatch ran = new CountDownLatch(1);
                        keyed.schedule(n, ran::countDown, Duration.ofMillis(1));
                        ran.await();
                    });
            for (int key = 0; key < 64; key++) {
                keyed.cancel(key);
            }
            assertThat(keyed.size()).isZero();
        }
    }

    static void executor() throws Exception {
        WheelScheduledExecutor executor = new WheelScheduledExecutor(1);
        Kept futures = new Kept();
        everyRound(
                round -> {
                    switch (round % 5) {
                        case 0 -> {
                            Future<?> future = executor.schedule(() -> {}, 1, HOURS);
                            futures.all[futures.count++] = future;
                        }
                        case 1 -> {
                            Future<?> future = executor.schedule(() -> {}, 0, NANOSECONDS);
                            futures.all[futures.count++] = future;
                        }
                        case 2 -> {
                            Future<?> future = executor.schedule(() -> {}, 1, MILLISECONDS);
                            futures.all[futures.count++] = future;
                        }
                        case 3 -> {
                            if (futures.count > 0) {
                                ((Future<?>) futures.all[--futures.count]).cancel(false);
                            }
                        }
                        default -> {
                            Future<?> future = executor.scheduleAtFixedRate(() -> {}, 1, 3_600_000, MILLISECONDS);
                            futures.all[futures.count++] = future;
                        }
                    }
                },
                n -> {
                    executor.schedule(() -> {}, 1, HOURS).cancel(false);
                    executor.schedule(() -> {}, 1, MILLISECONDS).get();
                    executor.submit(() -> {}).get();
                });
        executor.shutdownNow();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
    }

    static void wheel() throws Exception {
        HierarchicalWheel<WheelNode> wheel = new HierarchicalWheel<>(0);
        int[] scheduled = new int[1];
        for (int round = 0; round < rounds; round++) {
            long tick = 1 + round * 37L;
            Deep.atTheEndOfAStack(DEPTHS, depth -> {
                wheel.schedule(new WheelNode() {}, tick);
                scheduled[0]++;
            });
        }
        assertThat(wheel.size()).isEqualTo(scheduled[0]);
        int[] expired = new int[1];
        assertThat(wheel.advance(1 << 20, 1 << 20, node -> expired[0]++)).isEqualTo(scheduled[0]);
        assertThat(expired[0]).isEqualTo(scheduled[0]);
    }
}
