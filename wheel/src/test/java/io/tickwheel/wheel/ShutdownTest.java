package io.tickwheel.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("races")
class ShutdownTest {
    private static final long MS = 1_000_000;

    private final StrictTime time = new StrictTime(-5);
    private final List<String> ran = new ArrayList<>();

    private WheelTimerBuilder settings() {
        return WheelTimer.builder().clock(time).driver(time);
    }

    @Test
    void pendingTimeoutsExpireAfterShutdown() {
        WheelTimer timer = settings().build();
        timer.schedule(() -> ran.add("a"), Duration.ofMillis(10));
        timer.shutdown();
        assertThat(timer.isShutdown()).isTrue();
        assertThat(timer.isTerminated()).isFalse();
        assertThatThrownBy(() -> timer.schedule(() -> {}, Duration.ZERO))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("the timer is closed");
        time.advance(10 * MS - 1);
        assertThat(ran).isEmpty();
        time.advance(1);
        assertThat(ran).containsExactly("a");
        assertThat(timer.isTerminated()).isTrue();
    }

    @Test
    void periodicTimeoutEndsWithTheRunAfterShutdownAndCountsAsCancelledOnce() {
        WheelTimer timer = settings().maxPending(1).build();
        Timeout periodic = timer.scheduleAtFixedRate(() -> ran.add("p"), Duration.ofMillis(10), Duration.ofMillis(10));
        time.advance(10 * MS);
        timer.shutdown();
        assertThat(periodic.state()).isEqualTo(Timeout.State.PENDING);
        time.advance(100 * MS);
        assertThat(ran).containsExactly("p", "p");
        assertThat(periodic.state()).isEqualTo(Timeout.State.CANCELLED);
        assertThat(periodic.cancel()).isFalse();
        assertThat(timer.metrics().cancelled()).isEqualTo(1);
        assertThat(timer.isTerminated()).isTrue();
    }

    @Test
    void periodicTimeoutThatIsCancelledWhileItRunsInAClosedTimerEndsOnce() {
        Queue<Runnable> executor = new ArrayDeque<>();
        WheelTimer timer = settings().executor(executor::add).build();
        Timeout[] periodic = new Timeout[1];
        periodic[0] = timer.scheduleWithFixedDelay(
                () -> {
                    timer.shutdown();
                    assertThat(periodic[0].cancel()).isTrue();
                    ran.add("p");
                },
                Duration.ofMillis(10),
                Duration.ofMillis(10));
        time.advance(10 * MS);
        executor.remove().run();
        assertThat(ran).containsExactly("p");
        assertThat(timer.metrics().cancelled()).isEqualTo(1);
    }

    @Test
    void shutdownNowReturnsWhatHasNotStartedEvenOutOfTheBatchUnderWay() {
        WheelTimer timer = settings().stripes(1).build();
        Runnable second = () -> ran.add("second");
        Runnable far = () -> ran.add("far");
        List<Runnable> returned = new ArrayList<>();
        timer.schedule(
                () -> {
                    ran.add("first");
                    returned.addAll(timer.shutdownNow());
                },
                Duration.ofMillis(1));
        timer.schedule(second, Duration.ofMillis(1));
        timer.schedule(far, Duration.ofDays(1));
        time.advance(MS);
        assertThat(ran).containsExactly("first");
        assertThat(returned).containsExactlyInAnyOrder(second, far);
        assertThat(timer.isTerminated()).isTrue();
    }

    /** Of two threads that schedule and one that shuts down, in every order that they find. */
    @Test
    void whatIsAcceptedWhileTheTimerClosesRuns() {
        AtomicInteger runs = new AtomicInteger();
        AtomicInteger accepted = new AtomicInteger();
        WheelTimer[] timer = new WheelTimer[1];
        Runnable schedules = () -> {
            for (int i = 0; i < 5; i++) {
                try {
                    Timeout timeout = timer[0].schedule(runs::incrementAndGet, Duration.ZERO);
                    if (i % 2 == 1 || !timeout.cancel()) {
                        accepted.incrementAndGet();
                    }
                } catch (RejectedExecutionException e) {
                    assertThat(timer[0].isShutdown()).isTrue();
                    return;
                }
            }
        };
        try (Race race = new Race(1, schedules, schedules, () -> timer[0].shutdown())) {
            for (int round = 0; round < 5_000; round++) {
                StrictTime ownTime = new StrictTime(round);
                timer[0] = WheelTimer.builder()
                        .clock(ownTime)
                        .driver(ownTime)
                        .stripes(16)
                        .build();
                race.run();
                ownTime.advance(MS);
                assertThat(runs.getAndSet(0)).as("round %s", round).isEqualTo(accepted.getAndSet(0));
                assertThat(timer[0].isTerminated()).isTrue();
            }
        }
    }

    /** A closed timer whose last two timeouts are one that is being retried and one that is being cancelled. */
    @Test
    void timeoutThatIsRetriedWhileTheTimerClosesRuns() {
        AtomicInteger refusals = new AtomicInteger();
        AtomicInteger runs = new AtomicInteger();
        StrictTime[] times = new StrictTime[1];
        Timeout[] other = new Timeout[1];
        try (Race race = new Race(2, () -> times[0].expire(), () -> other[0].cancel())) {
            for (int round = 0; round < 2_000; round++) {
                times[0] = new StrictTime(round);
                refusals.set(1);
                WheelTimer timer = WheelTimer.builder()
                        .clock(times[0])
                        .driver(times[0])
                        .stripes(64)
                        .onRejection(RejectionPolicy.RETRY)
                        .executor(task -> {
                            if (refusals.getAndDecrement() > 0) {
                                throw new RejectedExecutionException("busy");
                            }
                            task.run();
                        })
                        .build();
                timer.schedule(runs::incrementAndGet, Duration.ZERO);
                other[0] = timer.schedule(() -> {}, Duration.ofDays(1));
                timer.shutdown();
                race.run();
                times[0].advance(2 * MS);
                assertThat(runs.getAndSet(0)).as("round %s", round).isEqualTo(1);
                assertThat(timer.isTerminated()).isTrue();
            }
        }
    }

    @Test
    void terminationIsToldOnceToWhoeverClosesAtTheSameTime() {
        AtomicInteger told = new AtomicInteger();
        WheelTimer[] timer = new WheelTimer[1];
        try (Race race = new Race(4, () -> timer[0].shutdownNow(), () -> timer[0].shutdownNow())) {
            for (int round = 0; round < 10_000; round++) {
                timer[0] = new WheelTimer(settings().stripes(1).settings(), told::incrementAndGet);
                race.run();
                assertThat(told.getAndSet(0)).as("round %s", round).isEqualTo(1);
            }
        }
    }
}
