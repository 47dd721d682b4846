package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The real server, started as users do, in a process of its own, on a free port of the loopback interface. */
public final class ServerProcess implements AutoCloseable {

    /** Of the source tree, where the load programs are run; it becomes the JVM. */
    private static final String LAUNCHER = "bin/tickwheel";

    private static final Duration READY_TIMEOUT = Duration.ofMinutes(3);
    private static final Duration EXIT_TIMEOUT = Duration.ofSeconds(60);

    private final Process process;
    private final InetSocketAddress address;
    private final Path output;
    private final Duration startup;

    private ServerProcess(Process process, InetSocketAddress address, Path output, long startNanos)
            throws IOException, InterruptedException {
        this.process = process;
        this.address = address;
        this.output = output;
        awaitReady();
        startup = Duration.ofNanos(System.nanoTime() - startNanos);
    }

    /**
     * Starts the server and waits until it says it is ready.
     *
     * @param data its data directory; what it prints goes into a file beside it
     * @param jvmOptions options of its JVM, separated by spaces
     */
    static ServerProcess start(Path data, String jvmOptions) throws IOException, InterruptedException {
        InetSocketAddress address = Loopback.freePort();
        return start(
                data,
                jvmOptions,
                address,
                List.of("dev", "--port", Integer.toString(address.getPort()), "--data", data.toString()));
    }

    /**
     * The same, with its timers on a Redis.
     *
     * @param data where its configuration goes
     */
    static ServerProcess onRedis(String uri, Path data, String jvmOptions) throws IOException, InterruptedException {
        InetSocketAddress address = Loopback.freePort();
        Path config = Files.writeString(
                Files.createDirectories(data).resolve("tickwheel.yaml"), """
                server:
                  port: %d
                store:
                  kind: redis
                  redis:
                    uri: %s
                targets:
                  http: {allow: 127.0.0.0/8, ports: 1-65535}
                """.formatted(address.getPort(), uri));
        return start(data, jvmOptions, address, List.of("serve", "--config", config.toString()));
    }

    /**
     * The same as a configuration file says, which names the port.
     *
     * @param output where what it prints is added
     */
    public static ServerProcess serve(Path config, InetSocketAddress address, Path output, String jvmOptions)
            throws IOException, InterruptedException {
        return launch(output, jvmOptions, address, List.of("serve", "--config", config.toString()));
    }

    private static ServerProcess start(Path data, String jvmOptions, InetSocketAddress address, List<String> arguments)
            throws IOException, InterruptedException {
        return launch(data.resolveSibling(data.getFileName() + ".out"), jvmOptions, address, arguments);
    }

    private static ServerProcess launch(
            Path output, String jvmOptions, InetSocketAddress address, List<String> arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(LAUNCHER);
        command.addAll(arguments);
        long start = System.nanoTime();
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("JAVA_OPTS", jvmOptions);
        Process process = builder.start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly, "kill-server"));
        return new ServerProcess(process, address, output, start);
    }

    public InetSocketAddress address() {
        return address;
    }

    /** From the start of the process to the first answer that it is ready. */
    Duration startup() {
        return startup;
    }

    public ProcessUsage usage() throws IOException {
        return ProcessUsage.of(process.pid());
    }

    /** The bytes of its heap that are in use after a full collection, which it makes now. */
    long liveHeapBytes() throws IOException, InterruptedException {
        jcmd("GC.run");
        return HeapInfo.usedBytes(jcmd("GC.heap_info"));
    }

    private String jcmd(String command) throws IOException, InterruptedException {
        Process jcmd = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(process.pid()),
                        command)
                .redirectErrorStream(true)
                .start();
        String printed = new String(jcmd.getInputStream().readAllBytes(), UTF_8);
        if (jcmd.waitFor() != 0) {
            throw new IOException("jcmd " + command + ": " + printed);
        }
        return printed;
    }

    /** The body of a GET. */
    String get(String path) throws IOException {
        HttpURLConnection connection = open(path);
        try (var body = connection.getInputStream()) {
            return new String(body.readAllBytes(), UTF_8);
        }
    }

    /** Ends it without warning, as kill -9 does. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Has it stand still, as a machine does that swaps, until it is told to go on. */
    public void stop() throws IOException, InterruptedException {
        Signals.send(process, "STOP");
    }

    public void goOn() throws IOException, InterruptedException {
        Signals.send(process, "CONT");
    }

    /** Asks it to drain and exit. */
    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(EXIT_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException("the server did not exit within " + EXIT_TIMEOUT + "\n" + tail());
            }
        } catch (InterruptedException e) {
            // Whoever interrupts waits no longer, and no server is left behind.
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private void awaitReady() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + READY_TIMEOUT.toNanos();
        while (!isReady()) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                process.destroyForcibly();
                throw new IOException("the server did not become ready\n" + tail());
            }
            Thread.sleep(5);
        }
    }

    private boolean isReady() {
        try {
            return open("/readyz").getResponseCode() == HttpURLConnection.HTTP_OK;
        } catch (IOException notListening) {
            return false;
        }
    }

    private HttpURLConnection open(String path) throws IOException {
        URI uri = URI.create("http://" + Loopback.authority(address) + path);
        return (HttpURLConnection) uri.toURL().openConnection();
    }

    private String tail() throws IOException {
        List<String> lines = Files.readAllLines(output);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
    }
}
