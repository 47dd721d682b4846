package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.Tickwheel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForeignFilesTest {

    @TempDir
    private Path data;

    private static final List<String> FOREIGN = List.of(
            "commitlog/+000000000000000.log",
            "commitlog/ffffffffffffffff.log",
            "commitlog/zzzzzzzzzzzzzzzz.log",
            "commitlog/000000000000000A.log",
            "schedulelog/-000000000000001.run",
            "keys/-000000000000001.snap",
            "notes.txt");

    @Test
    void filesThatAreNotOursAreLeftAloneAndHarmNothing() throws IOException {
        for (int opening = 0; opening < 3; opening++) {
            try (Tickwheel timers = Tickwheel.open(FileTimerStore.in(data))) {
                assertThat(timers.liveCount()).isEqualTo(opening);
                timers.schedule("q", "k" + opening, Duration.ofHours(1), new byte[10])
                        .join();
            }
            for (String name : FOREIGN) {
                Files.writeString(data.resolve(name), "x");
            }
        }
        for (String name : FOREIGN) {
            assertThat(data.resolve(name)).hasContent("x");
        }
    }

    @Test
    void segmentsTooLargeToReadBackAreRefused() {
        assertThatThrownBy(() -> FileTimerStore.in(data).withSegmentBytes(3L << 30))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("3221225472");
    }
}
