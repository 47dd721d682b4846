package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** However a timeout ends, it makes room for exactly one other. */
@Tag("races")
class MaxPendingTest {
    private static final long MS = 1_000_000;

    private final StrictTime time = new StrictTime(7);
    private final AtomicBoolean busy = new AtomicBoolean();
    private final List<String> ran = new ArrayList<>();
    private final Executor executor = task -> {
        if (busy.get()) {
            throw new RejectedExecutionException("busy");
        }
        task.run();
    };

    private WheelTimer timer(RejectionPolicy onRejection) {
        return WheelTimer.builder()
                .clock(time)
                .driver(time)
                .maxPending(1)
                .executor(executor)
                .onRejection(onRejection)
                .listener(new WheelTimerListener() {
                    @Override
                    public void taskFailed(Timeout timeout, Throwable thrown) {
                        ran.add("failed");
                    }

                    @Override
                    public void taskRejected(Timeout timeout, Runnable task, Throwable cause) {
                        ran.add("rejected");
                    }
                })
                .build();
    }

    private static void expectRoomForOne(WheelTimer timer) {
        timer.schedule(() -> {}, Duration.ofDays(1));
        assertThatThrownBy(() -> timer.schedule(() -> {}, Duration.ofDays(1)))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("too many timeouts are pending, see maxPending");
        assertThat(timer.pending()).isEqualTo(1);
    }

    @Test
    void timeoutThatIsRetriedTakesItsPlaceBack() {
        WheelTimer timer = timer(RejectionPolicy.RETRY);
        busy.set(true);
        timer.schedule(() -> ran.add("a"), Duration.ofMillis(1));
        time.advance(10 * MS);
        assertThat(timer.metrics().rejected()).isEqualTo(10);
        assertThat(timer.pending()).isEqualTo(1);
        assertThatThrownBy(() -> timer.schedule(() -> {}, Duration.ZERO))
                .isInstanceOf(RejectedExecutionException.class);
        busy.set(false);
        time.advance(MS);
        assertThat(ran).containsExactly("a");
        expectRoomForOne(timer);
    }

    @Test
    void timeoutThatIsCancelledBetweenRetriesMakesRoomOnce() {
        WheelTimer timer = timer(RejectionPolicy.RETRY);
        busy.set(true);
        Timeout timeout = timer.schedule(() -> ran.add("a"), Duration.ofMillis(1));
        time.advance(3 * MS);
        assertThat(timeout.cancel()).isTrue();
        expectRoomForOne(timer);
    }

    @Test
    void periodicTimeoutThatIsRefusedMakesRoom() {
        WheelTimer timer = timer(RejectionPolicy.FAIL);
        Timeout periodic = timer.scheduleAtFixedRate(() -> ran.add("p"), Duration.ofMillis(1), Duration.ofMillis(1));
        time.advance(2 * MS);
        busy.set(true);
        time.advance(MS);
        assertThat(ran).containsExactly("p", "p", "rejected");
        assertThat(periodic.state()).isEqualTo(Timeout.State.FAILED);
        expectRoomForOne(timer);
    }

    @Test
    void periodicTimeoutHoldsItsPlaceWhileItRunsAndGivesItUpWhenItThrows() {
        WheelTimer timer = timer(RejectionPolicy.FAIL);
        timer.scheduleWithFixedDelay(
                () -> {
                    assertThatThrownBy(() -> timer.schedule(() -> {}, Duration.ZERO))
                            .isInstanceOf(RejectedExecutionException.class);
                    ran.add("p");
                    throw new IllegalStateException("a task that throws");
                },
                Duration.ofMillis(1),
                Duration.ofMillis(1));
        time.advance(5 * MS);
        assertThat(ran).containsExactly("p", "failed");
        expectRoomForOne(timer);
    }

    @Test
    void closingRefusesThoseThatWaitForRoom() {
        WheelTimer timer = WheelTimer.builder()
                .clock(time)
                .driver(time)
                .maxPending(1)
                .maxPendingWait(Duration.ofDays(1))
                .build();
        timer.schedule(() -> {}, Duration.ofDays(1));
        CompletableFuture<Timeout> waiting = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                waiting.complete(timer.schedule(() -> {}, Duration.ZERO));
            } catch (RejectedExecutionException e) {
                waiting.completeExceptionally(e);
            }
        });
        thread.start();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        timer.shutdown();
        assertThatThrownBy(waiting::join)
                .isInstanceOf(CompletionException.class)
                .hasRootCauseInstanceOf(RejectedExecutionException.class)
                .hasRootCauseMessage("the timer is closed");
    }

    @Test
    void interruptEndsTheWaitForRoomAndIsKept() {
        WheelTimer timer = WheelTimer.builder()
                .clock(time)
                .driver(time)
                .maxPending(1)
                .maxPendingWait(Duration.ofDays(1))
                .build();
        timer.schedule(() -> {}, Duration.ofDays(1));
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> timer.schedule(() -> {}, Duration.ZERO))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessage("interrupted while too many timeouts were pending");
        } finally {
            assertThat(Thread.interrupted()).as("still interrupted").isTrue();
        }
        assertThat(timer.pending()).isEqualTo(1);
    }
}
