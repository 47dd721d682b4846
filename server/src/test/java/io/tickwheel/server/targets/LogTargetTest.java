package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Delivery;
import io.tickwheel.store.TimerKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class LogTargetTest {

    private static final Attempt ATTEMPT = attempt("k");

    private final BlockingQueue<String> ends = new LinkedBlockingQueue<>();

    /** The error ends the thread that prints; the attempt must not keep its credit, and the next one is printed. */
    @Test
    void anErrorWhilePrintingFailsTheAttemptAndNoOther() throws InterruptedException {
        BlockingQueue<Boolean> broken = new LinkedBlockingQueue<>(List.of(true));
        LogTarget target = new LogTarget(new Clock() {
            @Override
            public Instant now() {
                if (broken.poll() != null) {
                    throw new StackOverflowError("planted");
                }
                return Instant.EPOCH;
            }

            @Override
            public long monoNanos() {
                return 0;
            }
        });
        target.deliver(ATTEMPT, new Noted());
        assertThat(ends.poll(60, TimeUnit.SECONDS)).isEqualTo("failed: could not print");
        target.deliver(ATTEMPT, new Noted());
        assertThat(ends.poll(60, TimeUnit.SECONDS)).isEqualTo("acknowledged");
        target.close();
        assertThat(ends).isEmpty();
    }

    /** A console that takes nothing must not keep a process that is to end. */
    @Test
    void whoPrintsKeepsNoProcess() throws InterruptedException {
        BlockingQueue<Thread> printers = new LinkedBlockingQueue<>();
        LogTarget target = new LogTarget(Clock.system());
        target.deliver(ATTEMPT, new Noted() {
            @Override
            public void acknowledge() {
                printers.add(Thread.currentThread());
            }
        });
        assertThat(printers.poll(60, TimeUnit.SECONDS)).matches(Thread::isDaemon);
        target.close();
    }

    @Test
    void aKeyWithALineBreakIsInOneLine() {
        assertThat(LogTarget.line(attempt("k\r\nanother line"), Clock.system()))
                .contains("k", "another line")
                .doesNotContain("\r", "\n");
    }

    private static Attempt attempt(String key) {
        return new Attempt(
                new TimerKey("q", key),
                "id",
                1,
                1,
                Instant.EPOCH,
                Instant.EPOCH,
                Duration.ZERO,
                "hello".getBytes(StandardCharsets.UTF_8),
                null,
                Map.of(),
                null);
    }

    private class Noted implements Delivery {

        @Override
        public void acknowledge() {
            ends.add("acknowledged");
        }

        @Override
        public void fail(String reason) {
            ends.add("failed: " + reason);
        }

        @Override
        public void fail(String reason, Duration wait) {
            fail(reason);
        }

        @Override
        public void postpone(String reason, Instant until) {
            ends.add("postponed: " + reason);
        }

        @Override
        public void reject(String reason) {
            ends.add("rejected: " + reason);
        }
    }
}
