package io.tickwheel.server.crash;

import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.server.ReceiversHere;
import io.tickwheel.server.ServerJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The real server as a child process, again and again on the same directory and port. For one thread. */
final class CrashServer implements AutoCloseable {

    private static final int TAIL_LINES = 40;
    private static final long START_BOUND_MS = 60_000;

    private final int port;
    private final Path data;
    private final Path log;
    private @Nullable Process process;

    CrashServer(int port, Path data, Path log) {
        this.port = port;
        this.data = data;
        this.log = log;
    }

    /** With a log so short that it is trimmed again and again. */
    private Path settings() throws IOException {
        String yaml = "server: {port: " + port + "}\n" + "store: {file: {directory: '" + data
                + "', segmentBytes: 65536, checkpointBytes: 262144}}\n" + ReceiversHere.YAML;
        return Files.writeString(log.resolveSibling("server.yaml"), yaml);
    }

    void start() throws IOException {
        process = new ProcessBuilder(ServerJvm.command(
                        "-Xmx512m",
                        "io.tickwheel.server.Main",
                        "serve",
                        "--config",
                        settings().toString()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    void awaitReady(CrashHttp http) {
        Patience.until(Duration.ofMillis(START_BOUND_MS), "the server is ready", () -> {
            if (!isAlive()) {
                throw endedByItself();
            }
            return http.isReady();
        });
    }

    /** Waits, and throws {@link IllegalStateException} when the process does not live until {@code ms} have passed. */
    void letLive(long ms) {
        if (Patience.tryUntil(Duration.ofMillis(ms), () -> !isAlive())) {
            throw endedByItself();
        }
    }

    /** SIGKILL, and waits until the process is gone; it must be alive, or the death was its own doing. */
    void kill() {
        if (!isAlive()) {
            throw endedByItself();
        }
        close();
    }

    private IllegalStateException endedByItself() {
        return new IllegalStateException("the server ended by itself");
    }

    private boolean isAlive() {
        return process != null && process.isAlive();
    }

    /** The last lines that the processes wrote, and the file that has them all. */
    String tail() {
        try {
            List<String> lines =
                    Files.readString(log, StandardCharsets.UTF_8).lines().toList();
            return "the end of " + log.toAbsolutePath() + ":\n"
                    + String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
        } catch (IOException e) {
            return "no " + log.toAbsolutePath() + ": " + e;
        }
    }

    @Override
    public void close() {
        Process child = process;
        if (child != null) {
            child.destroyForcibly();
            Patience.until("the killed server is gone", () -> !child.isAlive());
            process = null;
        }
    }
}
