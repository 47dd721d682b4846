package io.tickwheel.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.testkit.SmallLog.Bug;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Proves the simulator: a correct log loses nothing on it, and each planted bug loses something. */
final class CrashSweepTest {
    private static final int SEEDS = 2_000;

    @Test
    void correctLogLosesNothing() {
        for (long seed = 0; seed < SEEDS; seed++) {
            CrashLives lives = new CrashLives(seed, Bug.NONE);
            assertThat(lives.run())
                    .as(() -> "seed " + lives.seed() + "\n"
                            + String.join("\n", lives.disk().trace()))
                    .isNull();
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"NONE", "RECOVERED_NAMES_UNSYNCED"})
    void plantedBugIsFound(Bug bug) {
        assertThat(LongStream.range(0, SEEDS)
                        .filter(seed -> new CrashLives(seed, bug).run() != null)
                        .findFirst())
                .as("first seed of %d that shows %s", SEEDS, bug)
                .isPresent();
    }

    @ParameterizedTest
    @EnumSource
    void crashAtEveryOperationLosesNothing(CrashKind kind) {
        long operations = operationsOfOneLife(12);
        for (long first = 0; first < operations; first++) {
            CrashLives lives = new CrashLives(first, Bug.NONE);
            lives.live(first, kind, 12);
            assertThat(lives.verify()).as("crash after %d operations", first).isNull();
        }
    }

    @Test
    void crashAtEveryOperationAndAgainInRecoveryLosesNothing() {
        assertThat(lossAfterTwoCrashes(Bug.NONE)).isNull();
    }

    /** Needs a kill right after a rename and a power loss right after the deletion that follows: too rare for chance. */
    @Test
    void crashingTwiceFindsTheBugThatNeedsTwoCrashes() {
        assertThat(lossAfterTwoCrashes(Bug.RECOVERED_NAMES_UNSYNCED)).isNotNull();
    }

    private static @Nullable String lossAfterTwoCrashes(Bug bug) {
        long operations = operationsOfOneLife(6);
        for (CrashKind firstKind : CrashKind.values()) {
            for (CrashKind secondKind : CrashKind.values()) {
                for (long first = 0; first < operations; first++) {
                    for (long second = 0; second < 24; second++) {
                        CrashLives lives = new CrashLives(31 * first + second, bug);
                        lives.live(first, firstKind, 6);
                        lives.live(second, secondKind, 2);
                        String loss = lives.verify();
                        if (loss != null) {
                            return firstKind + " after " + first + ", " + secondKind + " after " + second + ": " + loss;
                        }
                    }
                }
            }
        }
        return null;
    }

    @Test
    void sameSeedGivesSameTraceAndSameSurvivingBytes() throws IOException {
        for (long seed = 0; seed < 200; seed++) {
            CrashLives once = new CrashLives(seed, Bug.NONE);
            CrashLives again = new CrashLives(seed, Bug.NONE);
            @Nullable String loss = once.run();
            assertThat(again.run()).isEqualTo(loss);
            assertThat(again.disk().traceHash()).isEqualTo(once.disk().traceHash());
            assertThat(again.disk().trace()).isEqualTo(once.disk().trace());
            assertThat(survivors(again.disk())).isEqualTo(survivors(once.disk()));
        }
    }

    private static Map<String, String> survivors(SimulatedDisk disk) throws IOException {
        Map<String, String> survivors = new TreeMap<>();
        try (Stream<Path> files = Files.list(disk.path("log"))) {
            files.forEach(file -> survivors.put(file.toString(), Arrays.toString(disk.durableBytes(file))));
        }
        return survivors;
    }

    private static long operationsOfOneLife(int records) {
        CrashLives lives = new CrashLives(0, Bug.NONE);
        lives.live(Long.MAX_VALUE / 2, CrashKind.PROCESS_KILL, records);
        return lives.disk().operations();
    }
}
