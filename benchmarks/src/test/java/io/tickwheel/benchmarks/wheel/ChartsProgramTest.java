package io.tickwheel.benchmarks.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChartsProgramTest {

    @Test
    void fileNamesNeedNoQuotes() {
        assertThat(ChartsProgram.fileName("wheel-pair", "jdk17", "1,000 timers, 1 thread", "CPU ns"))
                .isEqualTo("wheel-pair-jdk17-1000-timers-1-thread-cpu-ns.svg");
        assertThat(ChartsProgram.fileName("p", "20,000 timers/s, alone", "process, % of a core"))
                .isEqualTo("p-20000-timers-s-alone-process-per-cent-of-a-core.svg");
    }
}
