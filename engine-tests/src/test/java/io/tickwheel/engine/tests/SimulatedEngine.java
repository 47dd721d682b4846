package io.tickwheel.engine.tests;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.file.FileTimerStore;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.SimulatedDisk;
import io.tickwheel.testkit.ManualClock;
import io.tickwheel.testkit.ManualThreads;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** An engine on a simulated clock, disk and scheduler, with a target that keeps its attempts for the test to end. */
final class SimulatedEngine {

    static final String TARGET = "sim";
    static final Destination DESTINATION = new Destination(TARGET, "anywhere");
    static final RetryPolicy RETRY = RetryPolicy.exponential(3, Duration.ofSeconds(1));

    final SplittableRandom random;
    final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    final SimulatedDisk disk;
    final List<Started> started = new ArrayList<>();
    private ManualThreads threads;
    private Tickwheel engine;

    /** An attempt that began. */
    record Started(Attempt attempt, Delivery delivery, long atMs) {}

    SimulatedEngine(long seed) {
        random = new SplittableRandom(seed);
        disk = new SimulatedDisk(seed);
        open();
    }

    Tickwheel engine() {
        return engine;
    }

    ManualThreads threads() {
        return threads;
    }

    /** The answer to a command, with all that happens until it is there. */
    <T> T join(CompletableFuture<T> answer) {
        threads.runUntilIdle();
        if (!answer.isDone()) {
            throw new AssertionError("a command is not answered");
        }
        return answer.join();
    }

    private void open() {
        threads = new ManualThreads(clock, random.split());
        engine = Tickwheel.builder(FileTimerStore.in(disk.path("/data"))
                        .withSegmentBytes(4_096)
                        .withCheckpointBytes(8_192)
                        .withFinishedRemembered(1_000))
                .clock(clock)
                .threads(threads)
                .random(random.split()::nextLong)
                .retry(RETRY)
                .target(TARGET, (attempt, delivery) -> started.add(new Started(attempt, delivery, clock.wallMs())))
                .open();
    }

    /** Loses the process, or the power, in the middle of whatever is going on, and starts again. */
    void crash(CrashKind kind) {
        if (disk.crashed()) {
            disk.restart();
        } else {
            disk.crash(kind);
        }
        started.clear();
        open();
    }

    /** Crashes when all that has ended is on the disk: nobody waits for that, and time need not pass, but what a look shows is durable. */
    void crashAfterALook(CrashKind kind) {
        join(engine.find("nobody", "knows"));
        crash(kind);
    }

    /** Ends what runs, and starts again. */
    void restart() {
        var closed = engine.closeAsync();
        threads.runUntilIdle();
        for (Started attempt : started) {
            attempt.delivery().fail("closing");
        }
        started.clear();
        threads.runUntilIdle();
        if (!closed.isDone()) {
            throw new AssertionError("the engine does not close");
        }
        open();
    }
}
