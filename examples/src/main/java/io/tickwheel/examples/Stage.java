package io.tickwheel.examples;

import io.tickwheel.engine.Clock;
import java.io.PrintStream;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Where an example that was started by a command says what happens, each line with its time, and that it has ended. Thread-safe. */
final class Stage {

    private final PrintStream out;
    private final CountDownLatch end = new CountDownLatch(1);

    Stage(PrintStream out) {
        this.out = out;
    }

    void say(String text) {
        out.println(Clock.system().now().truncatedTo(ChronoUnit.MILLIS) + "  " + text);
    }

    void sayLast(String text) {
        say(text);
        end();
    }

    void end() {
        end.countDown();
    }

    void awaitEnd() throws InterruptedException {
        end.await();
    }

    /** Waits for the end, and not longer than that; gives whether it has come. */
    boolean awaitEnd(Duration longest) throws InterruptedException {
        return end.await(longest.toNanos(), TimeUnit.NANOSECONDS);
    }
}
