package io.tickwheel.benchmarks;

import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A server that somebody else made, in a process of its own that listens on a port of the loopback interface. */
public final class PeerProcess implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration EXIT_TIMEOUT = Duration.ofSeconds(30);

    private final Process process;

    private PeerProcess(Process process) {
        this.process = process;
    }

    /** Where the path has a program of that name. */
    static Optional<Path> find(String program) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Starts it and waits until it takes connections; what it prints goes to {@code output}. */
    public static PeerProcess start(List<String> command, InetSocketAddress address, Path output)
            throws IOException, InterruptedException {
        return start(command, Map.of(), address, output);
    }

    /** As above, with more in its environment. */
    public static PeerProcess start(
            List<String> command, Map<String, String> environment, InetSocketAddress address, Path output)
            throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly, "kill-peer"));
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!accepts(address)) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                process.destroyForcibly();
                throw new IOException(command.get(0) + " did not start\n" + Files.readString(output));
            }
            Thread.sleep(20);
        }
        return new PeerProcess(process);
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(EXIT_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            // Whoever ends this program does not wait for the peer to end in its own time.
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private static boolean accepts(InetSocketAddress address) {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            return socket.isConnected();
        } catch (IOException notListening) {
            return false;
        }
    }
}
