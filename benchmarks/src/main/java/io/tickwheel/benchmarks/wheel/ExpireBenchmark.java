package io.tickwheel.benchmarks.wheel;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Advances a driven wheel over a second in which many timers are due; only the advance is timed, per timer. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 2,
        jvmArgsAppend = {"-XX:+UseParallelGC", "-Xms4g", "-Xmx4g"})
@State(Scope.Thread)
public class ExpireBenchmark {

    private static final int TIMERS = 20_000;
    private static final int TICKS = 1_000;

    @Param({"hierarchical", "hashed", "long", "long-tasks", "agrona", "agrona-map"})
    public String contender = "hierarchical";

    private final SplitMix random = new SplitMix(1);
    private DrivenWheel wheel;
    private long tick;

    /** Makes the wheel, which then lives through all advances. */
    @Setup
    public void make() {
        wheel = WheelContender.named(contender).wheel(TIMERS);
    }

    /** Schedules what is to expire next. */
    @Setup(Level.Invocation)
    public void schedule() {
        for (int i = 0; i < TIMERS; i++) {
            wheel.schedule(i, tick + 1 + SplitMix.upper(random.next(), TICKS));
        }
        tick += TICKS;
    }

    /** Expires them. */
    @Benchmark
    @OperationsPerInvocation(TIMERS)
    public long expire() {
        boolean more = true;
        while (more) {
            more = wheel.advance(tick, TIMERS);
        }
        return wheel.expired();
    }
}
