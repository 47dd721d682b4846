package io.tickwheel.wheel.netty;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A heap that is full in the middle of a call, in a process of its own: later calls get through, what was accepted runs, and what was
 * cancelled is told so once.
 */
final class OutOfMemoryTest {
    @Test
    void everythingGoesOn() throws IOException, InterruptedException {
        run(Integer.getInteger("tickwheel.memory.rounds", 15));
    }

    @Test
    @Tag("full")
    void everythingGoesOnInManyRounds() throws IOException, InterruptedException {
        run(150);
    }

    private static void run(int rounds) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx16m", "-XX:+UseSerialGC", "-ea"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(FullHeap.class.getName(), Integer.toString(rounds)));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("all got through");
    }

    /** Fills the heap, calls until that fails, makes room, and lets new callers in; over and over. */
    static final class FullHeap {
        private static final int CALLS = 4_000;
        private static final int CALLERS = 64;
        private static final long LIMIT_SECONDS = 30;

        private final NettyWheelTimer timer =
                new NettyWheelTimer(new DefaultThreadFactory("ours", true), 1, MILLISECONDS);
        private final AtomicInteger expected = new AtomicInteger();
        private final AtomicInteger ran = new AtomicInteger();
        private final TimerTask counted = timeout -> ran.incrementAndGet();
        private final @Nullable Timeout[] kept = new Timeout[CALLS];
        private final AtomicInteger told = new AtomicInteger();
        private int cancelled;
        private long shortages;

        /** A task that wants to know, and for which there may be no memory when it is told. */
        private final class Told implements TimerTask {
            private boolean already;

            // Only ever written, so that what is asked for is made.
            @SuppressWarnings("UnusedVariable")
            private @Nullable Object latest;

            @Override
            public void run(Timeout timeout) {}

            @Override
            public void cancelled(Timeout timeout) {
                if (already) {
                    fail("a task was told twice");
                }
                already = true;
                int number = told.incrementAndGet();
                latest = new byte[4_096];
                latest = null;
                if (number % 64 == 0) {
                    throw new IllegalStateException();
                }
            }
        }

        public static void main(String[] args) throws Exception {
            new FullHeap().run(Integer.parseInt(args[0]));
        }

        private void run(int rounds) throws Exception {
            expectCallersThrough("the start");
            for (int round = 0; round < rounds; round++) {
                fillAndCall(round);
                expectCallersThrough("round " + round);
            }
            long until = System.nanoTime() + SECONDS.toNanos(LIMIT_SECONDS);
            while ((ran.get() < expected.get() || told.get() < cancelled) && System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            if (ran.get() != expected.get() || told.get() != cancelled || shortages < rounds) {
                fail(ran + " ran of " + expected + ", " + told + " told of " + cancelled + ", " + shortages
                        + " calls failed");
            }
            timer.stop();
            System.out.println("all got through");
            System.exit(0);
        }

        private void fillAndCall(int round) {
            Told[] tasks = new Told[CALLS];
            for (int i = 0; i < CALLS; i++) {
                tasks[i] = new Told();
            }
            Object[] filler = null;
            for (int bytes = 1 << 20; bytes >= 16 && round % 3 < 2; bytes /= bytes > 256 ? 64 : 16) {
                filler = fill(filler, bytes);
            }
            try {
                for (int call = 0; call < CALLS; call++) {
                    if (round % 3 == 2) {
                        filler = new Object[] {filler, new byte[(CALLS - call) % 500]};
                    }
                    call(call, tasks);
                }
            } catch (OutOfMemoryError end) {
                shortages++;
            }
            if (filler == null || filler.length == 0) {
                fail("nothing filled");
            }
            filler = null;
            for (int call = 0; call < CALLS; call++) {
                Timeout timeout = kept[call];
                if (timeout != null) {
                    timeout.cancel();
                    cancelled += timeout.isCancelled() ? 1 : 0;
                }
                kept[call] = null;
            }
        }

        private Object[] fill(Object @Nullable [] before, int bytes) {
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

        private void call(int n, Told[] tasks) {
            kept[n] = timer.newTimeout(tasks[n], 1L + n, MINUTES);
            timer.newTimeout(counted, n % 9, MILLISECONDS);
            expected.incrementAndGet();
            if (n % 3 == 1) {
                kept[n - 1].cancel();
            }
        }

        private void expectCallersThrough(String after) throws InterruptedException {
            CountDownLatch through = new CountDownLatch(CALLERS);
            for (int i = 0; i < CALLERS; i++) {
                Thread caller = new Thread(() -> {
                    timer.newTimeout(timeout -> {}, 1, HOURS).cancel();
                    timer.newTimeout(timeout -> through.countDown(), 1, MILLISECONDS);
                });
                caller.setDaemon(true);
                caller.start();
            }
            if (!through.await(LIMIT_SECONDS, SECONDS)) {
                fail(through.getCount() + " of " + CALLERS + " callers hang after " + after);
            }
        }

        /** Ends the process: what hangs might keep it from ending in any other way. */
        private static void fail(String why) {
            System.out.println(why);
            Runtime.getRuntime().halt(1);
        }
    }
}
