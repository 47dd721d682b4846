package io.tickwheel.server;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code tickwheel serve} as a process of its own, with what it prints. */
final class ServerProcess implements AutoCloseable {

    private static final Pattern READY = Pattern.compile("ready on 127\\.0\\.0\\.1:(\\d+), data in (.*)");
    private static final int POLLS = 3_000;

    private final Process process;
    private final Path printed;

    private ServerProcess(Process process, Path printed) {
        this.process = process;
        this.printed = printed;
    }

    /**
     * Starts it.
     *
     * @param directory where its configuration goes and what it prints
     * @param yaml its settings, beside those that let it call receivers here
     * @param options of the JVM
     */
    static ServerProcess start(Path directory, String yaml, Map<String, String> environment, String... options)
            throws IOException {
        return start(directory, yaml, environment, ServerJvm.command(options));
    }

    /** Starts it with so many files that it may have open. */
    static ServerProcess startWithFiles(Path directory, String yaml, int files) throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -n " + files + "; exec \"$0\" \"$@\""));
        command.addAll(ServerJvm.command());
        return start(directory, yaml, Map.of(), command);
    }

    private static ServerProcess start(
            Path directory, String yaml, Map<String, String> environment, List<String> command) throws IOException {
        Path config = Files.createTempFile(directory, "tickwheel", ".yaml");
        Path printed = Files.createTempFile(directory, "printed", ".txt");
        Files.writeString(config, yaml + ReceiversHere.YAML);
        command.addAll(List.of("io.tickwheel.server.Main", "serve", "--config", config.toString()));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(printed.toFile());
        builder.environment().putAll(environment);
        return new ServerProcess(builder.start(), printed);
    }

    long id() {
        return process.pid();
    }

    String printed() throws IOException {
        try (InputStream in = Files.newInputStream(printed)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Waits until it is ready, and returns its port. */
    int port() throws IOException {
        for (int i = 0; i < POLLS && process.isAlive(); i++) {
            Matcher ready = READY.matcher(printed());
            if (ready.find()) {
                return Integer.parseInt(ready.group(1));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
        throw new AssertionError("it is not ready: " + printed());
    }

    /** Tells it to end, as an operator does. */
    void terminate() {
        process.destroy();
    }

    /** Ends it at once. */
    void kill() {
        process.destroyForcibly();
    }

    /** Waits until it has ended, and returns its exit code. */
    int ended() throws InterruptedException {
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new AssertionError("it does not end");
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
