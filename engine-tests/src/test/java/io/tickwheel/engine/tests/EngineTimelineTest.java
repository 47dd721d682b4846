package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.DiskFault;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The engine over the file store, along timelines: time passes, exactly this happens, and nothing else. */
class EngineTimelineTest {

    private final SimulatedEngine sim = new SimulatedEngine(7);

    private static TimerRequest after(String queue, String key, long delayMs) {
        return TimerRequest.after(queue, key, Duration.ofMillis(delayMs)).withDestination(SimulatedEngine.DESTINATION);
    }

    private <T> T await(CompletableFuture<T> future) {
        sim.threads().runUntilIdle();
        assertThat(future).isDone();
        assertThat(future).as("answered").isDone();
        return future.join();
    }

    private Scheduled schedule(String key, long delayMs) {
        return await(sim.engine().schedule(after("q", key, delayMs)));
    }

    private TimerState state(String key) {
        return await(sim.engine().find("q", key)).map(TimerView::state).orElseThrow();
    }

    private void pass(long ms) {
        sim.threads().advance(Duration.ofMillis(ms));
    }

    private List<String> startedKeys() {
        List<String> keys = new ArrayList<>();
        sim.started.forEach(started -> keys.add(started.attempt().key()));
        return keys;
    }

    private SimulatedEngine.Started onlyStarted() {
        assertThat(sim.started).hasSize(1);
        return sim.started.remove(0);
    }

    @Test
    void timerIsDeliveredAtItsMillisecondAndNotBefore() {
        schedule("a", 1_000);
        pass(999);
        assertThat(sim.started).isEmpty();
        pass(1);
        SimulatedEngine.Started started = onlyStarted();
        assertThat(started.attempt().lateness()).isZero();
        assertThat(state("a")).isEqualTo(TimerState.CLAIMED);
        started.delivery().acknowledge();
        assertThat(state("a")).isEqualTo(TimerState.COMPLETED);
        pass(1_000_000);
        assertThat(sim.started).isEmpty();
    }

    @Test
    void timersOfOneMillisecondAreDeliveredInTheOrderOfTheirScheduling() {
        for (String key : List.of("c", "a", "b")) {
            schedule(key, 500);
        }
        pass(500);
        assertThat(startedKeys()).containsExactly("c", "a", "b");
    }

    @Test
    void zeroDelayIsDueAtOnceButOnlyOnceDurable() {
        CompletableFuture<Scheduled> answer = sim.engine().schedule(after("q", "a", 0));
        while (sim.started.isEmpty()) {
            assertThat(sim.threads().step()).isTrue();
        }
        assertThat(sim.disk.durableBytes(sim.disk.path("/data/commitlog/0000000000000000-00000001.log")).length)
                .as("the timer is on disk when its attempt starts")
                .isGreaterThan(100);
        sim.crash(CrashKind.POWER_LOSS);
        sim.threads().runUntilIdle();
        assertThat(startedKeys()).as("again after the crash").containsExactly("a");
        assertThat(answer).isNotNull();
    }

    @Test
    void cancelledTimerIsNotDelivered() {
        schedule("a", 1_000);
        pass(999);
        assertThat(await(sim.engine().cancel("q", "a")).outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        pass(1_000_000);
        sim.restart();
        pass(1_000);
        assertThat(sim.started).isEmpty();
    }

    @Test
    void cancelThatCameWhileTheClaimWaitedForTheDiskWins() {
        CompletableFuture<Scheduled> scheduled = sim.engine().schedule(after("q", "a", 0));
        CompletableFuture<Cancelled> cancelled = sim.engine().cancel("q", "a");
        assertThat(await(cancelled).outcome()).isEqualTo(Cancelled.Outcome.CANCELLED);
        assertThat(scheduled).isCompleted();
        assertThat(sim.started).isEmpty();
        schedule("b", 0);
        assertThat(startedKeys()).as("no credit was lost").containsExactly("b");
    }

    @Test
    void replacedTimerIsDeliveredOnceWithItsNewTime() {
        schedule("a", 1_000);
        assertThat(schedule("a", 3_000).previous()).isEqualTo(Scheduled.Previous.PENDING);
        pass(2_999);
        assertThat(sim.started).isEmpty();
        pass(1);
        assertThat(onlyStarted().attempt().version()).isEqualTo(2);
    }

    @Test
    void replaceOfARunningTimerLetsItEndAndDeliversTheNewOne() {
        schedule("a", 0);
        SimulatedEngine.Started first = onlyStarted();
        assertThat(schedule("a", 1_000).previous()).isEqualTo(Scheduled.Previous.CLAIMED);
        first.delivery().fail("too slow");
        pass(999);
        assertThat(sim.started).as("no retry of the old one").isEmpty();
        pass(1);
        assertThat(onlyStarted().attempt().version()).isEqualTo(2);
    }

    @Test
    void failedAttemptIsRetriedWithBackoffAndThenDead() {
        schedule("a", 0);
        onlyStarted().delivery().fail("500");
        sim.threads().runUntilIdle();
        assertThat(state("a")).isEqualTo(TimerState.PENDING);
        pass(899);
        assertThat(sim.started).isEmpty();
        pass(101);
        SimulatedEngine.Started second = onlyStarted();
        assertThat(second.attempt().number()).isEqualTo(2);
        second.delivery().fail("500", Duration.ofSeconds(30));
        pass(29_999);
        assertThat(sim.started).as("the target asked to wait").isEmpty();
        pass(1);
        onlyStarted().delivery().fail("500");
        assertThat(state("a")).isEqualTo(TimerState.DEAD);
        sim.crash(CrashKind.POWER_LOSS);
        pass(100_000);
        assertThat(sim.started).isEmpty();
        assertThat(state("a")).isEqualTo(TimerState.DEAD);
    }

    @Test
    void rejectedTimerIsDeadAtOnceAndFurtherOutcomesAreIgnored() {
        schedule("a", 0);
        SimulatedEngine.Started started = onlyStarted();
        started.delivery().reject("410");
        started.delivery().acknowledge();
        started.delivery().fail("late word");
        assertThat(state("a")).isEqualTo(TimerState.DEAD);
    }

    @Test
    void timerThatIsTooLateExpires() {
        await(sim.engine().schedule(after("q", "a", 1_000).withExpireAfter(Duration.ofSeconds(5))));
        await(sim.engine().schedule(after("q", "b", 1_000).withExpireAfter(Duration.ofSeconds(10))));
        sim.crash(CrashKind.PROCESS_KILL);
        sim.threads().stall(Duration.ofSeconds(7));
        assertThat(startedKeys()).containsExactly("b");
        assertThat(state("a")).isEqualTo(TimerState.EXPIRED);
    }

    @Test
    void attemptMayStartInTheVeryMillisecondOfItsExpiry() {
        await(sim.engine().schedule(after("q", "a", 1_000).withExpireAfter(Duration.ofSeconds(5))));
        sim.threads().stall(Duration.ofSeconds(6));
        assertThat(startedKeys()).containsExactly("a");
    }

    @Test
    void timerThatCouldNotBeTriedAgainInTimeExpiresAtOnce() {
        await(sim.engine().schedule(after("q", "a", 1_000).withExpireAfter(Duration.ofMillis(1_500))));
        pass(1_000);
        onlyStarted().delivery().fail("no", Duration.ofSeconds(1));
        assertThat(state("a")).as("one second later is in time").isEqualTo(TimerState.PENDING);
        pass(1_000);
        onlyStarted().delivery().fail("no", Duration.ofSeconds(1));
        assertThat(state("a")).isEqualTo(TimerState.EXPIRED);
    }

    @Test
    void backlogOfALongDowntimeIsDeliveredOldestFirst() {
        long hourMs = 3_600_000;
        schedule("c", 300 * hourMs);
        schedule("a", hourMs);
        schedule("d", 300 * hourMs + 1);
        schedule("b", hourMs + 1);
        sim.crash(CrashKind.POWER_LOSS);
        sim.clock.advance(Duration.ofDays(366));
        sim.restart();
        sim.threads().runUntilIdle();
        assertThat(startedKeys()).containsExactly("a", "b", "c", "d");
    }

    @Test
    void wallClockThatStepsBackDeliversNothingEarlyAndNothingTwice() {
        schedule("a", 1_000);
        pass(1_000);
        onlyStarted().delivery().acknowledge();
        sim.clock.stepWall(Duration.ofMinutes(-1));
        schedule("b", 10_000);
        pass(9_999);
        assertThat(sim.started).isEmpty();
        pass(1);
        assertThat(onlyStarted().attempt().key()).isEqualTo("b");
    }

    @Test
    void attemptThatFailsBehindAStepBackIsNotMadeAgainBeforeTheTimerIsDue() {
        schedule("a", 1_000);
        pass(1_000);
        sim.clock.stepWall(Duration.ofMinutes(-1));
        onlyStarted().delivery().fail("planned");
        pass(59_999);
        assertThat(sim.started).isEmpty();
        pass(1);
        assertThat(onlyStarted().attempt().lateness()).isZero();
    }

    @Test
    void attemptThatIsPutOffBehindAStepBackIsNotMadeBeforeTheTimerIsDue() {
        schedule("a", 1_000);
        pass(1_000);
        sim.clock.stepWall(Duration.ofMinutes(-1));
        onlyStarted().delivery().postpone("planned", sim.clock.now().plusSeconds(10));
        pass(59_999);
        assertThat(sim.started).isEmpty();
        pass(1);
        assertThat(onlyStarted().attempt().number()).isEqualTo(1);
    }

    @Test
    void wallClockThatLeapsForwardDeliversWhatIsDueNow() {
        schedule("a", 3_600_000);
        sim.clock.stepWall(Duration.ofHours(1));
        pass(500);
        assertThat(startedKeys()).containsExactly("a");
    }

    @Test
    void queueWhoseTargetHangsHoldsUpNoOther() {
        Tickwheel engine = sim.engine();
        for (int i = 0; i < 300; i++) {
            await(engine.schedule(after("slow", "s" + i, 0)));
        }
        pass(15_000);
        assertThat(sim.started).as("the credits of one address").hasSize(224);
        sim.started.clear();
        await(engine.schedule(after("quick", "a", 0)));
        assertThat(startedKeys()).containsExactly("a");
    }

    @Test
    void creditThatComesFreeStartsTheNext() {
        for (int i = 0; i < 225; i++) {
            schedule("s" + i, 0);
        }
        pass(15_000);
        SimulatedEngine.Started first = sim.started.get(0);
        sim.started.clear();
        first.delivery().acknowledge();
        sim.threads().runUntilIdle();
        assertThat(startedKeys()).containsExactly("s224");
    }

    @Test
    void timerWithoutDestinationWaitsForTheHandlerOfItsQueue() {
        List<Attempt> handled = new ArrayList<>();
        await(sim.engine().schedule("h", "a", Duration.ZERO, new byte[] {1}));
        await(sim.engine().schedule("h", "b", Duration.ZERO, new byte[] {2}));
        await(sim.engine().schedule("h", "c", Duration.ZERO, new byte[] {3}));
        await(sim.engine().cancel("h", "b"));
        sim.engine().handle("h", handled::add);
        sim.threads().runUntilIdle();
        assertThat(handled).extracting(attempt -> attempt.key()).containsExactlyInAnyOrder("a", "c");
        assertThat(handled).allMatch(attempt -> attempt.number() == 1);
        assertThatThrownBy(() -> sim.engine().handle("h", handled::add)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void handlerThatThrowsIsRetried() {
        List<Integer> numbers = new ArrayList<>();
        sim.engine().handle("h", attempt -> {
            numbers.add(attempt.number());
            if (numbers.size() < 3) {
                throw new IllegalStateException("not yet");
            }
        });
        await(sim.engine()
                .schedule(TimerRequest.after("h", "a", Duration.ZERO)
                        .withRetry(RetryPolicy.exponential(5, Duration.ofMillis(10)))));
        pass(1_000);
        assertThat(numbers).containsExactly(1, 2, 3);
    }

    @Test
    void closingLetsRunningAttemptsEndAndStartsNoOther() {
        schedule("a", 0);
        schedule("b", 10);
        SimulatedEngine.Started running = onlyStarted();
        CompletableFuture<Void> closed = sim.engine().closeAsync();
        pass(100);
        assertThat(closed).isNotDone();
        assertThat(sim.started).isEmpty();
        assertThatThrownBy(() -> sim.engine().schedule(after("q", "c", 0)).join())
                .hasCauseInstanceOf(IllegalStateException.class);
        running.delivery().acknowledge();
        sim.threads().runUntilIdle();
        assertThat(closed).isCompleted();
        sim.crash(CrashKind.POWER_LOSS);
        sim.threads().runUntilIdle();
        assertThat(startedKeys()).as("a is done, b is not").containsExactly("b");
    }

    @Test
    void closingWaitsNoLongerThanTheDrainTimeout() {
        schedule("a", 0);
        CompletableFuture<Void> closed = sim.engine().closeAsync();
        pass(29_000);
        assertThat(closed).isNotDone();
        pass(1_500);
        assertThat(closed).isCompleted();
    }

    @Test
    void failedSyncStopsTheEngineAndNothingMoreIsAcceptedOrDelivered() {
        schedule("later", 5_000);
        sim.disk.failNext(DiskFault.SYNC_ERROR);
        CompletableFuture<Scheduled> unknown = sim.engine().schedule(after("q", "a", 1_000));
        sim.threads().runUntilIdle();
        assertThatThrownBy(unknown::join)
                .hasCauseInstanceOf(StoreFailedException.class)
                .cause()
                .extracting("outcomeUnknown")
                .isEqualTo(true);
        CompletableFuture<Scheduled> refused = sim.engine().schedule(after("q", "b", 1_000));
        sim.threads().runUntilIdle();
        assertThatThrownBy(refused::join).cause().extracting("outcomeUnknown").isEqualTo(false);
        assertThat(sim.engine().isRunning()).isFalse();
        pass(10_000);
        assertThat(sim.started).isEmpty();
        sim.crash(CrashKind.POWER_LOSS);
        sim.threads().runUntilIdle();
        assertThat(startedKeys()).contains("later").doesNotContain("b");
    }

    @Test
    void hangingQueuesLeaveCreditsForOthers() {
        for (int queue = 0; queue < 9; queue++) {
            for (int i = 0; i < 256; i++) {
                await(sim.engine().schedule(after("slow" + queue, "s" + i, 0)));
            }
        }
        assertThat(sim.started.size()).as("twenty of each").isEqualTo(9 * 20);
        pass(10_000);
        assertThat(sim.started.size()).as("a quarter").isEqualTo(512);
        sim.started.clear();
        await(sim.engine().schedule(after("quick", "a", 0)));
        assertThat(startedKeys()).containsExactly("a");
    }

    @Test
    void waitOfATargetIsCheckedAndLimitedTo30Days() {
        schedule("a", 0);
        SimulatedEngine.Started started = onlyStarted();
        assertThatThrownBy(() -> started.delivery().fail("no", Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PT-0.001S");
        started.delivery().fail("later", Duration.ofSeconds(Long.MAX_VALUE));
        long attemptAtMs = await(sim.engine().find("q", "a")).orElseThrow().attemptAtMs();
        assertThat(attemptAtMs - sim.clock.wallMs())
                .isEqualTo(Duration.ofDays(30).toMillis());
    }

    @Test
    void timerOfTheYearZeroIsDeliveredAtOnce() {
        await(sim.engine()
                .schedule(TimerRequest.at("q", "old", Instant.parse("0000-01-01T00:00:00Z"))
                        .withDestination(SimulatedEngine.DESTINATION)));
        assertThat(onlyStarted().attempt().lateness()).isGreaterThan(Duration.ofDays(2_000 * 365));
    }
}
