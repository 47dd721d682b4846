package io.tickwheel.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class HeapInfoTest {

    @Test
    void usedHeapIsReadAsJdk17PrintsIt() {
        assertThat(HeapInfo.usedBytes("""
                        8769:
                         garbage-first heap   total 397312K, used 17962K [0x0000000687400000, 0x0000000800000000)
                          region size 4096K, 4 young (16384K), 0 survivors (0K)
                         Metaspace       used 8960K, committed 9152K, reserved 1114112K
                        """)).isEqualTo(17_962L * 1_024);
    }

    @Test
    void usedHeapIsReadAsJdk25PrintsIt() {
        assertThat(HeapInfo.usedBytes("""
                        8809:
                        garbage-first heap   total reserved 6172672K, committed 393216K, used 11236K [0x0000000687400000, 0x0000000800000000)
                         region size 4096K, 3 young (12288K), 1 survivors (4096K)
                        """)).isEqualTo(11_236L * 1_024);
    }

    @Test
    void generationsAreAdded() {
        assertThat(HeapInfo.usedBytes("""
                        12:
                         def new generation   total 9792K, used 4096K [0x1, 0x2, 0x3)
                         tenured generation   total 21888K, used 512K [0x1, 0x2, 0x3)
                         Metaspace       used 8960K, committed 9152K, reserved 1114112K
                        """)).isEqualTo(4_608L * 1_024);
    }

    @Test
    void whatShowsNoHeapIsRefused() {
        assertThatThrownBy(() -> HeapInfo.usedBytes("no such process")).hasMessageContaining("no such process");
    }
}
