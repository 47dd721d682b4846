package io.tickwheel.wheel.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What Netty's leak detector says of timers, in a process of its own: it says so once, whoever has leaked one. */
final class LeakTest {

    private static final String LEAK = "LEAK: NettyWheelTimer";

    @Test
    void onlyATimerThatWasNotStoppedIsToldAsLeaked() throws IOException, InterruptedException {
        assertThat(said(true)).doesNotContain(LEAK).contains("all are collected");
        assertThat(said(false)).contains(LEAK).contains("all are collected");
    }

    private static String said(boolean isStopped) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Timers.class.getName(),
                        Boolean.toString(isStopped)))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    /**
     * Makes timers and forgets them: whoever is tracked next tells of those that have leaked. What was collected is
     * queued in order, so when a timer's reference has come, those to the timers before it have come to Netty's queue.
     */
    static final class Timers {

        private static final int TIMERS = 5;
        private static final long TURN_MS = 20;
        private static final int TURNS = 1_000;

        private Timers() {}

        public static void main(String... arguments) throws InterruptedException {
            boolean isStopped = Boolean.parseBoolean(arguments[0]);
            ReferenceQueue<NettyWheelTimer> collected = new ReferenceQueue<>();
            for (int i = 0; i < TIMERS; i++) {
                Reference<NettyWheelTimer> timer = forgotten(isStopped, collected);
                System.gc();
                for (int turn = 0; collected.remove(TURN_MS) != timer; turn++) {
                    if (turn == TURNS) {
                        throw new IllegalStateException("timer " + i + " is not collected");
                    }
                    System.gc();
                }
            }
            System.out.println("all are collected");
        }

        private static Reference<NettyWheelTimer> forgotten(
                boolean isStopped, ReferenceQueue<NettyWheelTimer> collected) {
            NettyWheelTimer timer = new NettyWheelTimer(new DefaultThreadFactory("forgotten", true));
            if (isStopped) {
                timer.stop();
            }
            return new WeakReference<>(timer, collected);
        }
    }
}
