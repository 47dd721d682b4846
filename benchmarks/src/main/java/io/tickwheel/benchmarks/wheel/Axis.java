package io.tickwheel.benchmarks.wheel;

import java.util.ArrayList;
import java.util.List;

/** A linear axis from 0 with marks at round numbers. */
record Axis(double end, double step) {

    private static final int MARKS = 5;
    private static final double[] ROUND = {1, 2, 2.5, 5, 10};

    /** An axis that has room for {@code largest}, with about five marks. */
    static Axis upTo(double largest) {
        if (!(largest >= 0) || Double.isInfinite(largest)) {
            throw new IllegalArgumentException("largest is " + largest + ", must be finite and not negative");
        }
        double step = largest == 0 ? 1 : roundUp(largest / MARKS);
        double marks = Math.max(1, Math.ceil(largest / step - 1e-9));
        return new Axis(marks * step, step);
    }

    List<Double> marks() {
        List<Double> marks = new ArrayList<>();
        long count = Math.round(end / step);
        for (long i = 0; i <= count; i++) {
            marks.add(i * step);
        }
        return marks;
    }

    /** How far along the axis a value lies, 0 to 1. */
    double share(double value) {
        return value / end;
    }

    private static double roundUp(double value) {
        double unit = Math.pow(10, Math.floor(Math.log10(value)));
        for (double round : ROUND) {
            if (round * unit >= value * (1 - 1e-9)) {
                return round * unit;
            }
        }
        return ROUND[ROUND.length - 1] * unit;
    }
}
