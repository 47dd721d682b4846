package io.tickwheel.engine.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Destination;
import io.tickwheel.store.TimerKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** How many threads a handler gets; the threads are tasks that the test runs. */
class HandlerCallsTest {

    private final ArrayDeque<Runnable> threads = new ArrayDeque<>();
    private final List<String> outcomes = new ArrayList<>();
    private long nowNanos;
    private long callNanos;
    private boolean full;
    private Runnable duringCall = () -> {};
    private final HandlerCalls calls = new HandlerCalls(this::handle, this::execute, new TestClock());

    private final class TestClock implements Clock {

        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public long monoNanos() {
            return nowNanos;
        }
    }

    private void handle(Attempt attempt) {
        nowNanos += callNanos;
        Runnable once = duringCall;
        duringCall = () -> {};
        once.run();
    }

    private void execute(Runnable task) {
        if (full) {
            throw new RejectedExecutionException("full");
        }
        threads.add(task);
    }

    private void deliver(int attempts) {
        for (int i = 0; i < attempts; i++) {
            Attempt attempt = new Attempt(
                    new TimerKey("q", "k" + i),
                    "id",
                    1,
                    1,
                    Instant.EPOCH,
                    Instant.EPOCH,
                    Duration.ZERO,
                    new byte[0],
                    null,
                    Map.of(),
                    new Destination(Destination.HANDLER, "q"));
            calls.add(attempt, new NotedDelivery(outcomes));
        }
        calls.handOver(nowNanos);
    }

    private void runThreads() {
        while (!threads.isEmpty()) {
            threads.remove().run();
        }
    }

    private void becomeQuick() {
        for (int i = 0; i < 10; i++) {
            deliver(1);
            runThreads();
        }
        outcomes.clear();
    }

    @Test
    void handlerThatIsNotKnownGetsAThreadForEachAttempt() {
        deliver(5);
        assertThat(threads).hasSize(5);
        assertThat(calls.handOver(nowNanos)).isFalse();
        assertThat(threads).as("they need not be told twice").hasSize(5);
        runThreads();
        assertThat(outcomes).hasSize(5).containsOnly("acknowledged");
        assertThat(calls.handOver(nowNanos)).as("nothing waits").isTrue();
    }

    @Test
    void quickHandlerTakesOneAttemptAfterTheOther() {
        becomeQuick();
        deliver(64);
        assertThat(threads).hasSize(1);
        deliver(1);
        assertThat(threads).hasSize(2);
        runThreads();
        assertThat(outcomes).hasSize(65);
    }

    @Test
    void handlerThatBecomesSlowGetsAThreadForEachAttemptAgain() {
        becomeQuick();
        callNanos = 5_000_000;
        deliver(1);
        runThreads();
        deliver(5);
        assertThat(threads).hasSize(5);
        callNanos = 1_000;
        runThreads();
        becomeQuick();
        deliver(5);
        assertThat(threads).hasSize(1);
    }

    @Test
    void attemptsBehindOneThatHangsGetThreadsWithinTwoMilliseconds() {
        becomeQuick();
        duringCall = () -> {
            assertThat(threads).isEmpty();
            calls.handOver(nowNanos);
            nowNanos += HandlerCalls.STUCK_NANOS - 1;
            calls.handOver(nowNanos);
            assertThat(threads).as("it may still be quick").isEmpty();
            nowNanos++;
            calls.handOver(nowNanos);
            assertThat(threads).as("all but the one that hangs").hasSize(9);
            nowNanos += HandlerCalls.STUCK_NANOS;
            calls.handOver(nowNanos);
            assertThat(threads).as("those that start count").hasSize(9);
        };
        deliver(10);
        runThreads();
        assertThat(outcomes).hasSize(10);
    }

    @Test
    void interruptOfOneCallIsNotSeenByTheNext() {
        becomeQuick();
        List<Boolean> seen = new ArrayList<>();
        duringCall = () -> {
            Thread.currentThread().interrupt();
            duringCall = () -> seen.add(Thread.currentThread().isInterrupted());
        };
        deliver(2);
        runThreads();
        assertThat(Thread.interrupted()).as("the thread's owner is told").isTrue();
        assertThat(seen).containsExactly(false);
    }

    @Test
    void attemptsForWhichThereIsNoThreadFail() {
        full = true;
        deliver(3);
        assertThat(outcomes).hasSize(3).allMatch(outcome -> outcome.contains("full"));
        full = false;
        deliver(2);
        assertThat(threads).as("those that did not start do not count").hasSize(2);
        runThreads();
        assertThat(outcomes).hasSize(5).endsWith("acknowledged", "acknowledged");
    }
}
