package io.tickwheel.benchmarks.wheel;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Replaces a random timer of a standing population, as {@code wheel-pair} does. Each thread has a population. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 2,
        jvmArgsAppend = {"-XX:+UseParallelGC", "-Xms4g", "-Xmx4g"})
public class PairBenchmark {

    /** The facility that all threads share; a driven wheel has one for each thread instead. */
    @State(Scope.Benchmark)
    public static class Shared {

        @Param({"floor", "tickwheel", "netty", "hierarchical", "hashed", "long", "agrona"})
        public String contender = "hierarchical";

        @Param({"1000", "1000000"})
        public int timers;

        private @Nullable TimerFacility facility;

        /** Starts the contender. */
        @Setup
        public void start() {
            WheelContender of = WheelContender.named(contender);
            facility = of.isDriven() ? null : of.start();
        }

        /** Ends its threads. */
        @TearDown
        public void close() {
            if (facility != null) {
                facility.close();
            }
        }
    }

    /** The timers of a thread. */
    @State(Scope.Thread)
    public static class Population {

        private final SplitMix random = new SplitMix(1);
        private TimerSlots slots;
        private int timers;

        /** Schedules them all. */
        @Setup
        public void fill(Shared shared) {
            timers = shared.timers;
            TimerFacility facility = shared.facility;
            slots = facility == null
                    ? new ClockedSlots(WheelContender.named(shared.contender).wheel(timers))
                    : new FacilitySlots(facility, () -> {}, timers);
            for (int i = 0; i < timers; i++) {
                slots.schedule(i, PairMeasurement.delayNanos(random.next()));
            }
        }
    }

    /** One cancel and one schedule. */
    @Benchmark
    public void pair(Population population) {
        long next = population.random.next();
        int slot = SplitMix.lower(next, population.timers);
        population.slots.cancel(slot);
        population.slots.schedule(slot, PairMeasurement.delayNanos(next));
    }
}
