package io.tickwheel.store.file.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class NoSpaceTest {

    private static final long MUCH = 1L << 40;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "No space left on device",
                "/data/x: No space left on device",
                "Disk quota exceeded",
                "Disc quota exceeded",
                "There is not enough space on the disk"
            })
    void theOperatingSystemSaysSo(String text) {
        IOException said = new IOException(text);
        assertThat(NoSpace.isCauseOf(said, MUCH)).isTrue();
        assertThat(NoSpace.isCauseOf(new UncheckedIOException(said), MUCH)).isTrue();
        assertThat(NoSpace.isCauseOf(new IOException(null, said), MUCH))
                .as("behind one without a text")
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/data/x: Too many open files", "Too many open files in system"})
    void roomForOneMoreOpenFileIsRoomToo(String text) {
        IOException said = new IOException(text);
        assertThat(NoSpace.isCauseOf(said, MUCH)).isTrue();
        assertThat(NoSpace.isOfDescriptors(new IOException(null, said))).isTrue();
        assertThat(NoSpace.isOfDescriptors(new IOException("No space left on device")))
                .isFalse();
    }

    @Test
    void anyErrorCountsWhereNextToNothingIsLeft() {
        IOException other = new IOException("Input/output error");
        assertThat(NoSpace.isCauseOf(other, MUCH)).isFalse();
        assertThat(NoSpace.isCauseOf(other, NoSpace.NOTHING_BYTES)).isFalse();
        assertThat(NoSpace.isCauseOf(other, NoSpace.NOTHING_BYTES - 1)).isTrue();
        assertThat(NoSpace.isCauseOf(new IOException(), MUCH)).isFalse();
    }

    /** Its disk may be full as well, but that is not why. */
    @Test
    void aStoreThatWasTakenOverHasAnotherReason() {
        assertThat(NoSpace.isCauseOf(new TakenOverException("no space left on device"), 0))
                .isFalse();
    }
}
