package io.tickwheel.store.file.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.BitSet;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs whose last block is full, or has one entry more or less. */
final class RunFileTest {

    private static final int FULL = 92;

    @ParameterizedTest
    @ValueSource(ints = {1, FULL - 1, FULL, FULL + 1, 2 * FULL, 5 * FULL})
    void runIsReadBackWithAllItsEntries(int count) throws IOException {
        WrittenRuns runs = new WrittenRuns();
        long number = runs.write(LongStream.range(0, count).map(i -> i * 31).toArray());
        try (RunFile run = runs.open(number)) {
            assertThat(run.count()).isEqualTo(count);
            RunScan scan = new RunScan(run, new BitSet());
            for (int ordinal = 0; ordinal < count; ordinal++) {
                assertThat(scan.next()).isTrue();
                assertThat(scan.hash()).isEqualTo(ordinal * 31L);
                assertThat(scan.attemptAtMs()).isEqualTo(ordinal);
            }
            assertThat(scan.next()).isFalse();
            RunEntry entry = new RunEntry(run);
            assertThat(entry.seek(0, count, hash -> hash == (count - 1) * 31L)).isEqualTo(count - 1);
            assertThat(entry.seek(0, count, hash -> hash == 7)).isEqualTo(count);
        }
    }
}
