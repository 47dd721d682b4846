package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.LoopbackPorts;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.config.ServerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/** What a server is told, and what is left of it. */
final class TrainCommandTest {

    private final List<Path> directories = new ArrayList<>();
    private final List<Boolean> goesOn = new ArrayList<>();
    private long pending;

    @Test
    void aServerWorksAndStopsAndLeavesNothing() {
        Ended ended = CommandRun.inPipe()
                .with((config, ready) -> {
                    try (RunningServer server = new RunningServer(config)) {
                        note(config, server.port(), ready);
                        pending = server.live();
                    }
                })
                .run("train", "--timers", 70);

        assertThat(ended.error()).isEmpty();
        assertThat(ended.code()).isZero();
        assertThat(ended.output()).isEqualTo("Trained with 70 timers.\n");
        assertThat(pending).as("those of batches but the cancelled ones").isEqualTo(50 * 100 - 500);
        assertThat(goesOn).containsExactly(false);
        assertThat(directories).hasSize(1).noneMatch(Files::exists);
    }

    @Test
    void aServerThatDoesNotAnswerFailsTheTraining() {
        Ended ended = CommandRun.inPipe()
                .with((config, ready) -> note(config, LoopbackPorts.next(), ready))
                .run("train", "--timers", 70);

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.error())
                .startsWith("tickwheel: the training has failed: ")
                .contains("Connection refused");
        assertThat(ended.output()).isEmpty();
        assertThat(goesOn).as("the server is stopped before its directory goes").containsExactly(false);
        assertThat(directories).hasSize(1).noneMatch(Files::exists);
    }

    private void note(ServerConfig config, int port, IntPredicate ready) {
        directories.add(Path.of(config.store().place()));
        goesOn.add(ready.test(port));
    }
}
