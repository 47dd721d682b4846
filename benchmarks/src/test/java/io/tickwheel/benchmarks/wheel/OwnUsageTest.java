package io.tickwheel.benchmarks.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnUsageTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "wheel-timer",
                "netty-timer",
                "kafka-reaper",
                "executorkafka-t",
                "scheduled-pool",
                "jdk-timer",
                "delay-queue",
                "ForkJoinPool-1-"
            })
    void threadsOfContendersCount(String name) {
        assertThat(OwnUsage.isTimerThread(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "java",
                "main",
                "GC Thread#0",
                "G1 Main Marker",
                "VM Thread",
                "VM Periodic Tas",
                "C1 CompilerThre",
                "C2 CompilerThre",
                "Reference Handl",
                "Common-Cleaner",
                "program-1"
            })
    void threadsOfTheJvmAndOfTheProgramDoNot(String name) {
        assertThat(OwnUsage.isTimerThread(name)).isFalse();
    }
}
