package io.tickwheel.store.file.disk;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a file of the log says with its name. */
final class SegmentNameTest {

    @Test
    void nameIsReadAsItIsWritten() {
        for (int epoch : new int[] {0, 1, 9, 10, 16, 0xcafe, Integer.MAX_VALUE}) {
            for (long baseLsn : new long[] {0, 512, 0xabcdefL << 9, Long.MAX_VALUE}) {
                SegmentName name = new SegmentName(baseLsn, epoch);
                assertThat(SegmentName.of(name.fileName())).isEqualTo(name);
            }
        }
        assertThat(new SegmentName(4_096, 16).fileName()).isEqualTo("0000000000001000-00000010.log");
        assertThat(new SegmentName(4_096, 0).fileName()).isEqualTo("0000000000001000.log");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0000000000001000",
                "000000000000100.log",
                "8000000000000000.log",
                "0000000000001000-00000000.log",
                "0000000000001000-80000000.log",
                "0000000000001000-0000010.log",
                "000000000000100A.log",
                "0000000000001000-00000010.log.part"
            })
    void otherFileIsNoSegment(String name) {
        assertThat(SegmentName.of(name)).isNull();
    }

    @Test
    void segmentsStandInTheOrderOfTheLogAndThenOfTheirOwners() {
        SegmentName first = new SegmentName(512, 9);
        SegmentName second = new SegmentName(1_024, 2);
        SegmentName third = new SegmentName(1_024, 3);
        assertThat(first).isLessThan(second);
        assertThat(second).isLessThan(third);
    }
}
