package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ConfigCommandTest {

    @TempDir
    private Path directory;

    @Test
    void aTableIsForPeopleAndJsonForPrograms() {
        Ended table = CommandRun.inPipe().onTerminal().run("config", "explain");
        assertThat(table.code()).isZero();
        assertThat(table.output().lines().findFirst().orElseThrow()).matches("NAME +VALUE +ORIGIN +UNIT +DEFAULT");
        assertThat(table.output()).containsPattern("(?m)^server\\.port +7373 +default +port +7373$");

        Ended json = CommandRun.inPipe().with("TICKWHEEL_SERVER_PORT", "80").run("config", "explain");
        assertThat(json.output())
                .startsWith("{\"settings\":[{")
                .contains("{\"name\":\"server.port\",\"value\":\"80\","
                        + "\"origin\":\"environment, TICKWHEEL_SERVER_PORT\",\"unit\":\"port\",\"default\":\"7373\"}");
    }

    @Test
    void aMisspeltSettingEndsWithTheOneThatWasMeant() throws IOException {
        Path file = Files.writeString(directory.resolve("tickwheel.yaml"), "limits:\n  atemptBytes: 1048576\n");

        Ended ended = CommandRun.inPipe().run("config", "explain", "--config", file);

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.output()).isEmpty();
        assertThat(ended.error()).contains("did you mean limits.attemptBytes?");
    }

    /** As serve does: who has looked at a file by this need not find it out at the start. */
    @Test
    void anAddressThatOthersReachEndsWithWhatIsMissing() throws IOException {
        Path file = Files.writeString(directory.resolve("open.yaml"), "server:\n  host: 0.0.0.0\n");

        Ended ended = CommandRun.inPipe().run("config", "explain", "--config", file);

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.output()).isEmpty();
        assertThat(ended.error()).contains("server.host is 0.0.0.0", "access.admin and TLS are not set");

        Ended meant = CommandRun.inPipe().with("TICKWHEEL_INSECURE", "true").run("config", "explain", "--config", file);

        assertThat(meant.code()).isZero();
    }
}
