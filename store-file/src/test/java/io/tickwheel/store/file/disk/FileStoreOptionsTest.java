package io.tickwheel.store.file.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Each bound of what a store may be opened with, on both sides. */
class FileStoreOptionsTest {

    private final FileStoreOptions options = FileStoreOptions.in(Path.of("data"));

    private static void assertRefused(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }

    @Test
    void segmentsHaveFourKibToOneGib() {
        assertThat(options.withSegmentBytes(4_096).segmentBytes()).isEqualTo(4_096);
        assertThat(options.withSegmentBytes(1 << 30).segmentBytes()).isEqualTo(1 << 30);
        assertRefused(() -> options.withSegmentBytes(4_095), "segmentBytes is 4095, must be at least 4096");
        assertRefused(
                () -> options.withSegmentBytes((1 << 30) + 1),
                "segmentBytes is 1073741825, must be at most 1073741824");
    }

    @Test
    void checkpointsComeAfterFourKibAtTheEarliest() {
        assertThat(options.withCheckpointBytes(4_096).checkpointBytes()).isEqualTo(4_096);
        assertRefused(() -> options.withCheckpointBytes(4_095), "checkpointBytes is 4095, must be at least 4096");
    }

    @Test
    void finishedTimersNeedNotBeRemembered() {
        assertThat(options.withFinishedRemembered(0).finishedRemembered()).isZero();
        assertRefused(() -> options.withFinishedRemembered(-1), "finishedRemembered is -1, must be at least 0");
    }
}
