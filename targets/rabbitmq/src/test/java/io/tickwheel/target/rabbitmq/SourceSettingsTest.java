package io.tickwheel.target.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.target.message.OptionReader;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SourceSettingsTest {

    private static SourceSettings read(Map<String, String> settings) {
        return SourceSettings.read(new OptionReader(new TargetOptions(Clock.system(), 1, settings)));
    }

    @Test
    void eachQueueHasOneForItsRefusedMessages() {
        assertThat(read(Map.of()).refusedQueue()).isEqualTo("tickwheel.refused");
        assertThat(read(Map.of("queue", "shop")).refusedQueue()).isEqualTo("shop.refused");
        assertThat(read(Map.of("queue", "shop", "refusedQueue", "odd")).refusedQueue())
                .isEqualTo("odd");
    }

    /** Each may have a mebibyte, which is in the heap more than once. */
    @Test
    void fewerMessagesAreTakenInAtOnceInASmallHeap() {
        assertThat(SourceSettings.prefetch(4L << 30)).isEqualTo(500);
        assertThat(SourceSettings.prefetch(500L << 22)).isEqualTo(500);
        assertThat(SourceSettings.prefetch((500L << 22) - 1)).isEqualTo(499);
        assertThat(SourceSettings.prefetch(128L << 20)).isEqualTo(32);
        assertThat(SourceSettings.prefetch(1 << 20)).isEqualTo(1);
        assertThat(read(Map.of()).prefetch())
                .isEqualTo(SourceSettings.prefetch(Runtime.getRuntime().maxMemory()));
        assertThat(read(Map.of("prefetch", "65535")).prefetch()).isEqualTo(65_535);
    }

    @Test
    void exchangesArePairs() {
        assertThat(read(Map.of()).exchanges()).isEmpty();
        assertThat(read(Map.of("exchanges", "a.delayed=a, b.delayed=")).exchanges())
                .containsExactly(Map.entry("a.delayed", "a"), Map.entry("b.delayed", ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "=a", "a=b=c", "a=b,", ",a=b", "a=b,a=c"})
    void exchangeThatIsInNoPairOrInTwoIsRefused(String exchanges) {
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> read(Map.of("exchanges", exchanges)))
                .satisfies(refusal -> assertThat(refusal.field()).isEqualTo("exchanges"));
    }
}
