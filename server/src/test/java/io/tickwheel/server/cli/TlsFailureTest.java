package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.RunningServer;
import io.tickwheel.server.config.EdgeConfig;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.server.tls.TestIdentity;
import io.tickwheel.server.tls.TlsFiles;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands whose TLS does not come to be say why, and that nothing was done. */
final class TlsFailureTest {

    private static final List<Object> READS = List.of("queues", "list");
    private static final List<Object> CHANGES = List.of("queues", "pause", "q");

    @TempDir
    private Path directory;

    private RunningServer start(TlsFiles files) {
        return new RunningServer(ServerConfig.of("127.0.0.1", 0, directory.resolve("data"))
                .withEdge(new EdgeConfig(null, false, files, false, false, null)));
    }

    private static void assertSaid(CommandRun run, String... said) {
        for (List<Object> command : List.of(READS, CHANGES)) {
            Ended ended = run.run(command.toArray());
            assertThat(ended.code()).as(ended.error()).isEqualTo(69);
            assertThat(ended.error())
                    .contains(said)
                    .contains("nothing was done")
                    .hasLineCount(1);
        }
    }

    @Test
    void aCertificateThatIsNotTrustedIsToldAsThat() {
        TestIdentity shown = TestIdentity.make(directory, "shown");
        TestIdentity other = TestIdentity.make(directory, "other");
        try (RunningServer server = start(new TlsFiles(shown.certificate(), shown.key(), null))) {
            CommandRun run = CommandRun.on("https://localhost:" + server.port());
            assertSaid(run, "not trusted", "--ca");
            assertSaid(run.with("TICKWHEEL_CA", other.certificate().toString()), "not trusted", "--ca");
        }
    }

    @Test
    void theOtherSchemeIsNamed() {
        TestIdentity shown = TestIdentity.make(directory, "shown");
        try (RunningServer server = start(new TlsFiles(shown.certificate(), shown.key(), null))) {
            CommandRun run = CommandRun.on("http://localhost:" + server.port());
            assertThat(run.run(READS.toArray()).error()).contains("try again", "https://");
            assertThat(run.run(CHANGES.toArray()).error()).contains("is not known", "https://");
        }
        try (RunningServer server = start(null)) {
            CommandRun run = CommandRun.on("https://localhost:" + server.port());
            assertThat(run.run(READS.toArray()).error()).contains("http://");
            assertThat(run.run(CHANGES.toArray()).error()).contains("http://");
        }
    }

    @Test
    void aClientCertificateThatIsMissingOrUnknownIsToldAsThat() {
        TestIdentity shown = TestIdentity.make(directory, "shown");
        TestIdentity known = TestIdentity.make(directory, "known");
        TestIdentity unknown = TestIdentity.make(directory, "unknown");
        try (RunningServer server = start(new TlsFiles(shown.certificate(), shown.key(), known.certificate()))) {
            CommandRun run = CommandRun.on("https://localhost:" + server.port())
                    .with("TICKWHEEL_CA", shown.certificate().toString());
            for (int i = 0; i < 3; i++) {
                assertSaid(run, "--cert", "--key");
                assertSaid(
                        run.with("TICKWHEEL_CERT", unknown.certificate().toString())
                                .with("TICKWHEEL_KEY", unknown.key().toString()),
                        "--cert");
            }
        }
    }
}
