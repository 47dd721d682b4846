package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.file.FileTimerStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is shown of a directory in which some timers have ended. */
final class InspectCommandTest {

    private static final Pattern JSON = Pattern.compile("\"timers\":([0-9]+),\"present\":([0-9]+)");
    private static final Pattern TEXT = Pattern.compile(" ([0-9]+) of ([0-9]+) timers");

    @TempDir
    private Path data;

    @Test
    void whatIsLeftOfARunIsToldFromWhatWasInIt() {
        FileTimerStore store = FileTimerStore.in(data).withSegmentBytes(4_096).withCheckpointBytes(8_192);
        try (Tickwheel timers = Tickwheel.open(store)) {
            for (int i = 0; i < 300; i++) {
                timers.schedule("q", "k" + i, Duration.ofHours(1), new byte[100])
                        .join();
            }
            for (int i = 0; i < 100; i++) {
                timers.cancel("q", "k" + i).join();
            }
        }
        Ended text = CommandRun.inPipe().run("inspect", data);
        assertThat(text.code()).as(text.error()).isZero();
        Ended json = CommandRun.inPipe().run("inspect", "--json", data);
        List<MatchResult> runs = JSON.matcher(json.output()).results().toList();
        assertThat(runs).isNotEmpty().anyMatch(run -> !run.group(1).equals(run.group(2)));
        assertThat(TEXT.matcher(text.output()).results())
                .extracting(run -> run.group(2) + " " + run.group(1))
                .containsExactlyElementsOf(runs.stream()
                        .map(run -> run.group(1) + " " + run.group(2))
                        .toList());
    }
}
