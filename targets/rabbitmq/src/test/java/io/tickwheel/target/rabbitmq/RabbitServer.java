package io.tickwheel.target.rabbitmq;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.tickwheel.redis.testkit.LoopbackPorts;
import io.tickwheel.redis.testkit.Patience;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * A real RabbitMQ in processes of its own, for tests: on free ports of the loopback interface, as the user who runs the tests, with a temporary folder that is deleted when it
 * is closed. It can be killed and started again. A shell holds the processes of Erlang, and kills them when the pipe from this JVM ends, so that none outlives it.
 */
final class RabbitServer implements AutoCloseable {

    private static final String PROPERTY = "tickwheel.rabbitmq.server";
    private static final Path PROGRAM = Path.of(System.getProperty(PROPERTY, "/usr/lib/rabbitmq/bin/rabbitmq-server"));
    private static final String COOKIE = "tickwheel";

    /** Comes with Erlang. */
    private static final String CALLER = "erl_call";

    private static final Duration START_LIMIT = Duration.ofMinutes(2);

    /** Without {@code -start_epmd false} each runtime would start a port mapper that listens everywhere and stays. */
    private static final String SHELL = """
            epmd -address 127.0.0.1 -port "$ERL_EPMD_PORT" & epmd=$!
            "$0" & server=$!
            read -r end
            kill -9 $server $epmd
            wait
            """;

    private final Path folder;
    private final int port = LoopbackPorts.next();
    private final int peerPort = LoopbackPorts.next();
    private final int mapperPort = LoopbackPorts.next();
    private Map<String, String> environment = Map.of();
    private Process shell;

    private RabbitServer(Path folder) {
        this.folder = folder;
    }

    /** Starts one, or skips the test where none is installed, unless it is required. */
    static RabbitServer start() {
        if (!Files.isExecutable(PROGRAM)) {
            String message = "RabbitMQ is not installed: apt-get install --no-install-recommends rabbitmq-server, or"
                    + " -D" + PROPERTY + "=PATH";
            if (Boolean.getBoolean("tickwheel.rabbitmq.required")) {
                fail(message);
            }
            assumeTrue(false, message);
        }
        try {
            RabbitServer server = new RabbitServer(Files.createTempDirectory("rabbitmq-"));
            server.configure();
            server.launch();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void configure() throws IOException {
        Files.writeString(folder.resolve("rabbitmq.conf"), "listeners.tcp.1 = 127.0.0.1:" + port + "\n");
        Files.writeString(folder.resolve("advanced.config"), "[{kernel,[{inet_dist_use_interface,{127,0,0,1}}]}].\n");
        Files.writeString(folder.resolve("plugins"), "[].\n");
        Files.writeString(folder.resolve("env.conf"), "");
    }

    private void launch() throws IOException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", SHELL, PROGRAM.toString())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(folder.resolve("out.log").toFile()));
        environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("RABBITMQ_") || name.startsWith("ERL_"));
        environment.put("HOME", folder.toString());
        environment.put("ERL_EPMD_ADDRESS", "127.0.0.1");
        environment.put("ERL_EPMD_PORT", Integer.toString(mapperPort));
        environment.put("ERL_FLAGS", "-start_epmd false");
        environment.put("RABBITMQ_ALLOW_INPUT", "1");
        environment.put("RABBITMQ_NODENAME", node());
        environment.put("RABBITMQ_DIST_PORT", Integer.toString(peerPort));
        environment.put("RABBITMQ_MNESIA_BASE", folder.resolve("mnesia").toString());
        environment.put("RABBITMQ_LOG_BASE", folder.resolve("log").toString());
        environment.put("RABBITMQ_CONFIG_FILE", folder.resolve("rabbitmq").toString());
        environment.put(
                "RABBITMQ_ADVANCED_CONFIG_FILE",
                folder.resolve("advanced.config").toString());
        environment.put("RABBITMQ_CONF_ENV_FILE", folder.resolve("env.conf").toString());
        environment.put(
                "RABBITMQ_ENABLED_PLUGINS_FILE", folder.resolve("plugins").toString());
        environment.put(
                "RABBITMQ_GENERATED_CONFIG_DIR", folder.resolve("generated").toString());
        environment.put("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "-setcookie " + COOKIE + " -noinput +S 2:2 +sbwt none");
        shell = builder.start();
        if (!Patience.tryUntil(START_LIMIT, () -> !shell.isAlive() || isReady()) || !isReady()) {
            String log = Files.readString(folder.resolve("out.log"));
            close();
            throw new IllegalStateException("RabbitMQ did not start:\n" + log);
        }
    }

    private boolean isReady() {
        try (Connection connection = connect()) {
            return connection.isOpen();
        } catch (IOException | TimeoutException e) {
            return false;
        }
    }

    int port() {
        return port;
    }

    /** A connection of a publisher or a consumer, for a test. */
    Connection connect() throws IOException, TimeoutException {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        factory.setConnectionTimeout(20_000);
        factory.setHandshakeTimeout(30_000);
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection();
    }

    /** Has every channel that is open stand still for ever. Their connections live on, and new channels work. */
    void suspendChannels() throws IOException, InterruptedException {
        evaluate("[ok = sys:suspend(Channel) || Channel <- rabbit_channel:list_local()].");
    }

    /** Has it take no messages, as one does whose memory is full, or has that be over. */
    void raiseAlarm(boolean raised) throws IOException, InterruptedException {
        String alarm = "{resource_limit, memory, node()}";
        evaluate(raised ? "rabbit_alarm:set_alarm({" + alarm + ", []})." : "rabbit_alarm:clear_alarm(" + alarm + ").");
    }

    /** Asks the runtime itself: the tool of RabbitMQ starts another one, which takes longer than a test. */
    private void evaluate(String expression) throws IOException, InterruptedException {
        Path log = folder.resolve("control.log");
        ProcessBuilder builder = new ProcessBuilder(CALLER, "-sname", node(), "-c", COOKIE, "-e")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process control = builder.start();
        try (OutputStream in = control.getOutputStream()) {
            in.write((expression + "\n").getBytes(StandardCharsets.UTF_8));
        }
        boolean hasEnded = control.waitFor(1, TimeUnit.MINUTES);
        String answer = Files.readString(log);
        if (!hasEnded || control.exitValue() != 0 || !answer.startsWith("{ok, ")) {
            control.destroyForcibly();
            throw new IllegalStateException("not done: " + expression + "\n" + answer);
        }
    }

    private String node() {
        return "tickwheel-" + port + "@localhost";
    }

    /** Ends it at once with SIGKILL, as a crash does; its folder stays. */
    void kill() {
        List<ProcessHandle> all = shell.descendants().toList();
        try {
            shell.getOutputStream().close();
            if (!shell.waitFor(20, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the shell of RabbitMQ has not ended");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while RabbitMQ ended", e);
        }
        // What Erlang has started ends when it sees that Erlang has; the folder is its too.
        Patience.until(
                "the processes of RabbitMQ have ended", () -> all.stream().noneMatch(ProcessHandle::isAlive));
    }

    /** Starts it again, at the same port with the same folder. */
    void restart() {
        try {
            launch();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        if (shell.isAlive()) {
            kill();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
