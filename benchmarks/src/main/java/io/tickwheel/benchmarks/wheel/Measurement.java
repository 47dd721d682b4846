package io.tickwheel.benchmarks.wheel;

import io.tickwheel.benchmarks.Options;

/** What one forked JVM does with one contender, once. */
interface Measurement {

    /**
     * Measures and ends; threads left behind are the fork's business.
     *
     * @param options what its program was asked for; to be taken in full
     */
    void run(WheelContender contender, Options options, Figures figures) throws Exception;

    /** Takes what was measured. */
    interface Figures {

        /**
         * Takes one.
         *
         * @param measure what, with its unit at the end
         * @param figure a finite number
         */
        void add(String measure, double figure);
    }
}
