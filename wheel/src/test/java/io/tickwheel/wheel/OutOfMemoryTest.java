package io.tickwheel.wheel;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A heap that is full in the middle of a call, in a process of its own: later calls get through, and what was accepted runs. */
final class OutOfMemoryTest {
    @ParameterizedTest
    @ValueSource(strings = {"timer", "keyed", "executor"})
    void everythingGoesOn(String facade) throws IOException, InterruptedException {
        run(facade, 15);
    }

    @ParameterizedTest
    @ValueSource(strings = {"timer", "keyed", "executor"})
    @Tag("full")
    void everythingGoesOnInManyRounds(String facade) throws IOException, InterruptedException {
        run(facade, 150);
    }

    private static void run(String facade, int rounds) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx12m", "-XX:+UseSerialGC", "-ea"));
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                FullHeap.class.getName(),
                facade,
                Integer.toString(rounds)));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("all got through");
    }

    /** Fills the heap, calls until that fails, makes room, and lets new callers in; over and over. */
    static final class FullHeap {
        private static final int CALLS = 4_000;
        private static final Duration LONG = Duration.ofHours(1);

        private final WheelTimer timer = WheelTimer.builder().stripes(1).build();
        private final KeyedTimer<Integer> keyed = new KeyedTimer<>(timer);
        private final WheelScheduledExecutor executor = new WheelScheduledExecutor(1);
        private final AtomicInteger expected = new AtomicInteger();
        private final AtomicInteger ran = new AtomicInteger();
        private final Object[] kept = new Object[CALLS];
        private long shortages;

        public static void main(String[] args) throws Exception {
            new FullHeap().run(args[0], Integer.parseInt(args[1]));
        }

        private void run(String facade, int rounds) throws Exception {
            Deep.Step full = step(facade);
            Deep.Step fresh = fresh(facade);
            Deep.expectAllThrough("the start", fresh);
            for (int round = 0; round < rounds; round++) {
                fillAndCall(round, full);
                Deep.expectAllThrough("round " + round, fresh);
            }
            long until = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (ran.get() < expected.get() && System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            if (ran.get() < expected.get() || shortages < rounds) {
                throw new AssertionError(ran + " ran of " + expected + ", " + shortages + " calls failed");
            }
            System.out.println("all got through");
            System.exit(0);
        }

        private void fillAndCall(int round, Deep.Step step) throws Exception {
            Object[] filler = null;
            for (int bytes = 1 << 20; bytes >= 16 && round % 3 < 2; bytes /= bytes > 256 ? 64 : 16) {
                filler = fill(filler, bytes);
            }
            try {
                for (int call = 0; call < CALLS; call++) {
                    if (round % 3 == 2) {
                        filler = new Object[] {filler, new byte[(CALLS - call) % 500]};
                    }
                    step.run(call);
                }
            } catch (OutOfMemoryError end) {
                shortages++;
            }
            if (filler == null || filler.length == 0) {
                throw new AssertionError("nothing filled");
            }
            filler = null;
            for (int call = 0; call < CALLS; call++) {
                if (kept[call] instanceof Timeout timeout) {
                    timeout.cancel();
                } else if (kept[call] instanceof Future<?> future) {
                    future.cancel(false);
                }
                kept[call] = null;
            }
        }

        private Object[] fill(Object[] before, int bytes) {
            Object[] filler = before;
            try {
                while (true) {
                    filler = new Object[] {filler, new byte[bytes]};
                }
            } catch (OutOfMemoryError end) {
                shortages++;
            }
            return filler;
        }

        private Deep.Step step(String facade) {
            Runnable counted = ran::incrementAndGet;
            return switch (facade) {
                case "timer" ->
                    n -> {
                        kept[n] = timer.schedule(() -> {}, Duration.ofMinutes(n));
                        timer.schedule(counted, n % 9, MILLISECONDS);
                        expected.incrementAndGet();
                        if (n % 3 == 1) {
                            ((Timeout) kept[n - 1]).cancel();
                        }
                    };
                case "keyed" ->
                    n -> {
                        kept[n] = keyed.schedule(n, () -> {}, LONG);
                        if (n % 3 == 1) {
                            keyed.cancel(n - 1);
                            keyed.touch(n);
                        }
                    };
                default ->
                    n -> {
                        kept[n] = executor.schedule(() -> {}, n, HOURS);
                        Future<?> soon = executor.schedule(counted, 0, MILLISECONDS);
                        if (!soon.isCancelled()) {
                            expected.incrementAndGet();
                        }
                        if (n % 3 == 1) {
                            ((Future<?>) kept[n - 1]).cancel(false);
                        }
                    };
            };
        }

        private Deep.Step fresh(String facade) {
            return switch (facade) {
                case "timer" -> n -> callAndSeeItRun();
                case "keyed" ->
                    n -> {
                        for (int key = n; key < CALLS; key += 64) {
                            keyed.cancel(key);
                        }
                        CountDownLatch done = new CountDownLatch(1);
                        keyed.schedule(n, done::countDown, Duration.ofMillis(1));
                        done.await();
                    };
                default -> n -> executor.schedule(() -> {}, 1, MILLISECONDS).get();
            };
        }

        private void callAndSeeItRun() throws InterruptedException {
            timer.schedule(() -> {}, LONG).cancel();
            CountDownLatch done = new CountDownLatch(1);
            timer.schedule(done::countDown, Duration.ofMillis(1));
            done.await();
        }
    }
}
