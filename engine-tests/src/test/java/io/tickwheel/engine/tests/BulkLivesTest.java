package io.tickwheel.engine.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Bulk;
import io.tickwheel.engine.BulkProgress;
import io.tickwheel.engine.BulkRequest;
import io.tickwheel.engine.BulkView;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.testkit.CrashKind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A bulk run goes on when its engine was closed, or has crashed, wherever that was. */
final class BulkLivesTest {

    private static final int TIMERS = 60;
    private static final BulkRequest CANCEL =
            BulkRequest.cancel(TimerQuery.of("q").withKeyPrefix("k")).withPerSecond(20);

    private final SimulatedEngine sim = new SimulatedEngine(1);

    private static void schedule(SimulatedEngine sim) {
        for (int i = 0; i < TIMERS; i++) {
            sim.join(sim.engine().schedule("q", "k" + i, Duration.ofHours(1)));
        }
        sim.join(sim.engine().schedule("q", "other", Duration.ofHours(1)));
    }

    private static List<BulkView> runs(SimulatedEngine sim) {
        return sim.join(sim.engine().bulkRuns());
    }

    private static BulkView run(SimulatedEngine sim) {
        List<BulkView> runs = runs(sim);
        assertThat(runs).hasSize(1);
        return runs.get(0);
    }

    private static long pending(SimulatedEngine sim) {
        return sim.join(sim.engine().queues()).stream()
                .mapToLong(QueueCounts::pending)
                .sum();
    }

    private static void ends(SimulatedEngine sim) {
        for (int second = 0; second < 10 && run(sim).progress().state() == BulkProgress.State.RUNNING; second++) {
            sim.threads().advance(Duration.ofSeconds(1));
        }
        assertThat(run(sim).progress().state()).isEqualTo(BulkProgress.State.DONE);
        assertThat(pending(sim)).isEqualTo(1);
        assertThat(sim.engine().liveCount()).isEqualTo(1);
    }

    @Test
    void runGoesOnAfterARestartAndCountsEachOnce() {
        schedule(sim);
        Bulk bulk = sim.engine().start(CANCEL);
        sim.threads().advance(Duration.ofMillis(1_300));
        sim.restart();
        assertThat(bulk.progress().state()).isEqualTo(BulkProgress.State.SUSPENDED);
        assertThat(bulk.done()).isDone();
        BulkView standing = run(sim);
        assertThat(standing.id()).isEqualTo(bulk.id());
        assertThat(standing.request()).isEqualTo(CANCEL);
        assertThat(standing.progress().changed()).isBetween(20L, 30L);
        assertThat(standing.progress().startedAt()).isEqualTo(bulk.progress().startedAt());
        ends(sim);
        assertThat(run(sim).progress().changed()).isEqualTo(TIMERS);
        assertThat(run(sim).progress().matched()).isEqualTo(TIMERS);
    }

    @Test
    void dryRunCountsEachOnceOverARestart() {
        schedule(sim);
        sim.engine().start(BulkRequest.cancel(TimerQuery.of("q")).asDryRun());
        sim.restart();
        while (run(sim).progress().state() == BulkProgress.State.RUNNING) {
            sim.threads().advance(Duration.ofMillis(100));
        }
        assertThat(run(sim).progress().matched()).isEqualTo(TIMERS + 1);
        assertThat(pending(sim)).isEqualTo(TIMERS + 1);
    }

    /** What it redrives is due later than its beginning, also after a crash: so it comes to an end. */
    @Test
    void redriveGoesOnWithThoseThatWereDeadAtItsBeginning() {
        for (int i = 0; i < TIMERS; i++) {
            TimerRequest request =
                    TimerRequest.after("q", "k" + i, Duration.ZERO).withDestination(SimulatedEngine.DESTINATION);
            sim.join(sim.engine().schedule(request));
        }
        for (sim.threads().runUntilIdle(); !sim.started.isEmpty(); sim.threads().advance(Duration.ofSeconds(1))) {
            sim.started.forEach(attempt -> attempt.delivery().reject("x"));
            sim.started.clear();
        }
        sim.engine().start(BulkRequest.redrive(TimerQuery.of("q")).withPerSecond(20));
        int redriven = 0;
        for (int tenth = 0; tenth < 60; tenth++) {
            sim.threads().advance(Duration.ofMillis(100));
            redriven += sim.started.size();
            sim.started.forEach(attempt -> attempt.delivery().reject("again"));
            sim.started.clear();
            sim.threads().runUntilIdle();
            if (tenth == 17) {
                sim.crash(CrashKind.POWER_LOSS);
                sim.threads().runUntilIdle();
            }
        }
        assertThat(run(sim).progress().state()).isEqualTo(BulkProgress.State.DONE);
        assertThat(redriven).isBetween(TIMERS, TIMERS + 2);
    }

    @ParameterizedTest
    @EnumSource(CrashKind.class)
    void runGoesOnWhereverTheProcessDies(CrashKind kind) {
        int crashes = 0;
        boolean hasCrashed = true;
        for (int steps = 1; hasCrashed; steps += 3) {
            SimulatedEngine life = new SimulatedEngine(steps);
            schedule(life);
            Bulk bulk = life.engine().start(CANCEL);
            hasCrashed = crash(life, bulk, steps, kind);
            crashes += hasCrashed ? 1 : 0;
        }
        assertThat(crashes).isGreaterThanOrEqualTo(30);
    }

    private static boolean crash(SimulatedEngine life, Bulk bulk, int after, CrashKind kind) {
        int left = after;
        for (int tenth = 0; tenth < 60 && left > 0; tenth++) {
            while (left > 0 && life.threads().step()) {
                left--;
            }
            if (left > 0) {
                life.clock.advance(Duration.ofMillis(100));
            }
        }
        boolean wasAccepted = bulk.accepted().isDone();
        boolean hasCrashed = left == 0;
        if (hasCrashed) {
            life.crash(kind);
            life.threads().runUntilIdle();
        }
        if (wasAccepted || !runs(life).isEmpty()) {
            ends(life);
            assertThat(run(life).progress().changed()).isLessThanOrEqualTo(TIMERS);
        } else {
            assertThat(pending(life)).isEqualTo(TIMERS + 1);
        }
        return hasCrashed;
    }

    @Test
    void runThatWasStoppedStaysStopped() {
        schedule(sim);
        Bulk bulk = sim.engine().start(CANCEL);
        sim.threads().advance(Duration.ofMillis(1_300));
        CompletableFuture<Optional<BulkView>> stopped = sim.engine().stopBulkRun(bulk.id());
        while (!stopped.isDone()) {
            // The power goes as soon as the answer is there.
            if (!sim.threads().step()) {
                sim.clock.advance(Duration.ofMillis(1));
            }
        }
        assertThat(stopped.join()).isPresent();
        sim.crash(CrashKind.POWER_LOSS);
        sim.threads().advance(Duration.ofSeconds(5));
        assertThat(run(sim).progress().state()).isEqualTo(BulkProgress.State.STOPPED);
        long left = pending(sim);
        sim.restart();
        sim.threads().advance(Duration.ofSeconds(5));
        assertThat(pending(sim)).isEqualTo(left).isGreaterThan(TIMERS / 2);
        assertThat(run(sim).progress().state()).isEqualTo(BulkProgress.State.STOPPED);
        assertThat(sim.join(sim.engine().stopBulkRun("none"))).isEmpty();
        assertThat(sim.join(sim.engine().bulkRun("none"))).isEmpty();
    }

    @Test
    void runsThatHaveEndedAreRememberedForAWhile() {
        for (int i = 0; i < Bulk.MOST_REMEMBERED + Bulk.MOST_RUNNING + 5; i++) {
            sim.engine().start(CANCEL);
            sim.threads().advance(Duration.ofMillis(10));
        }
        sim.restart();
        assertThat(runs(sim)).hasSize(Bulk.MOST_REMEMBERED + Bulk.MOST_RUNNING);
        assertThat(sim.engine().bulks()).isEmpty();
        assertThat(sim.engine().liveCount()).isZero();
        assertThat(sim.join(sim.engine().queues())).isEmpty();
        sim.threads().advance(Duration.ofDays(8));
        assertThat(runs(sim)).isEmpty();
        assertThat(sim.engine().liveCount()).isZero();
        assertThat(sim.started).isEmpty();
    }
}
