package io.tickwheel.testkit;

import io.tickwheel.engine.Threads;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * Runs an engine on the thread of the test, one step at a time, the next step drawn at random among all that could come next:
 * a turn of a loop, or the first task of an executor. The same seed gives the same course. Not thread-safe.
 *
 * <p>A loop that asked to sleep takes a turn again when it is woken or its time has passed on the clock, so that time jumps from one moment at which
 * there is something to do to the next; and half a second after its last turn, when the wall clock was stepped since: real loops notice that too.
 * Work that never comes to
 * an end fails the test, after {@value #MOST_STEPS_AT_ONCE} steps for which time stands still or {@value #MOST_MOMENTS} moments of an advance.
 */
public final class ManualThreads implements Threads {

    private static final int MOST_STEPS_AT_ONCE = 50_000;
    private static final int MOST_MOMENTS = 1_000_000;
    private static final long NOTICES_A_STEP_NANOS = 500_000_000;

    private final ManualClock clock;
    private final RandomGenerator random;
    private final List<Lane> lanes = new ArrayList<>();
    private final Lane handlers = new Lane();

    public ManualThreads(ManualClock clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
        lanes.add(handlers);
    }

    /** Something that takes steps: an executor or a loop. */
    private static class Lane implements Executor {

        final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

        @Override
        public void execute(Runnable task) {
            tasks.addLast(task);
        }

        boolean isReady() {
            return !tasks.isEmpty();
        }

        void step() {
            tasks.removeFirst().run();
        }

        /** Nanoseconds until it is ready by itself; far away when it never is. */
        long readyInNanos() {
            return Long.MAX_VALUE;
        }
    }

    private final class LoopLane extends Lane implements Running {

        private final Loop loop;
        private boolean woken = true;
        private boolean done;
        private long turnedAtNanos;
        private long sleepNanos;
        private Duration wallAheadAtTurn = Duration.ZERO;

        LoopLane(Loop loop) {
            this.loop = loop;
        }

        @Override
        public void wake() {
            woken = true;
        }

        @Override
        boolean isReady() {
            return !done && (woken || readyInNanos() <= 0);
        }

        @Override
        void step() {
            woken = false;
            sleepNanos = loop.turn();
            done = sleepNanos == Loop.DONE;
            turnedAtNanos = clock.monoNanos();
            wallAheadAtTurn = wallAhead();
        }

        @Override
        long readyInNanos() {
            if (done) {
                return Long.MAX_VALUE;
            }
            long sleeps = wallAhead().equals(wallAheadAtTurn) ? sleepNanos : Math.min(sleepNanos, NOTICES_A_STEP_NANOS);
            return sleeps - (clock.monoNanos() - turnedAtNanos);
        }

        /** Changes when the wall clock is stepped, and with nothing else. */
        private Duration wallAhead() {
            return Duration.between(Instant.EPOCH, clock.now()).minusNanos(clock.monoNanos());
        }
    }

    @Override
    public Executor serial(String name) {
        Lane lane = new Lane();
        lanes.add(lane);
        return lane;
    }

    /** Reads are no steps of their own: nothing comes between. */
    @Override
    public Executor readers() {
        return Runnable::run;
    }

    @Override
    public Executor handlers() {
        return handlers;
    }

    @Override
    public Running run(String name, Loop loop) {
        LoopLane lane = new LoopLane(loop);
        lanes.add(lane);
        return lane;
    }

    /** Takes one step, drawn at random; returns false when nothing is ready. */
    public boolean step() {
        List<Lane> ready = lanes.stream().filter(Lane::isReady).toList();
        if (ready.isEmpty()) {
            return false;
        }
        ready.get(random.nextInt(ready.size())).step();
        return true;
    }

    /** Takes steps until nothing is ready; time stands still meanwhile. */
    public void runUntilIdle() {
        int steps = 0;
        while (step()) {
            steps++;
            require(steps < MOST_STEPS_AT_ONCE, "steps at one moment");
        }
    }

    /** Lets time pass and takes all steps that fall due meanwhile, each at its time. */
    public void advance(Duration duration) {
        long leftNanos = duration.toNanos();
        runUntilIdle();
        for (int moments = 0; leftNanos > 0; moments++) {
            require(moments < MOST_MOMENTS, "moments");
            long nextNanos = lanes.stream().mapToLong(Lane::readyInNanos).min().orElse(Long.MAX_VALUE);
            long stepNanos = Math.min(leftNanos, Math.max(1, nextNanos));
            clock.advance(Duration.ofNanos(stepNanos));
            leftNanos -= stepNanos;
            runUntilIdle();
        }
    }

    private static void require(boolean few, String ofWhat) {
        if (!few) {
            throw new AssertionError("work does not come to an end in very many " + ofWhat);
        }
    }

    /** Lets time pass in one go, as when the machine was stalled, then takes all steps that are ready. */
    public void stall(Duration duration) {
        clock.advance(duration);
        runUntilIdle();
    }

    /** There is nothing to free. */
    @Override
    public void close() {}
}
