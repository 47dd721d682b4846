package io.tickwheel.benchmarks.wheel;

import io.tickwheel.benchmarks.ChildFigures;
import io.tickwheel.benchmarks.Options;
import java.util.Arrays;

/** The forked JVM: runs one measurement of one contender and prints its figures for the parent to read. */
final class Fork {

    private Fork() {}

    /** Takes the measurement, the contender and the options. */
    public static void main(String[] arguments) throws Exception {
        Measurement measurement = measurement(arguments[0]);
        WheelContender contender = WheelContender.named(arguments[1]);
        Options options = new Options(Arrays.asList(arguments).subList(2, arguments.length));
        measurement.run(contender, options, ChildFigures::print);
        options.refuseUnused();
        // Timer threads are no daemons everywhere, and what is pending would keep them for an hour.
        System.exit(0);
    }

    private static Measurement measurement(String name) {
        return switch (name) {
            case "wheel-pair" -> new PairMeasurement();
            case "wheel-paced" -> new PacedMeasurement();
            case "wheel-fire" -> new FireMeasurement();
            case "wheel-memory" -> new MemoryMeasurement();
            case "wheel-idle" -> new IdleMeasurement();
            case "wheel-lateness" -> new LatenessMeasurement();
            case "wheel-probe" -> new ProbeMeasurement();
            case "wheel-pauses" -> new PausesMeasurement();
            default -> throw new IllegalArgumentException("no measurement " + name);
        };
    }
}
