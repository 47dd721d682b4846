package io.tickwheel.redis.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis server in a process of its own, for tests: on a free port of the loopback interface, with a temporary
 * directory that is deleted when it is closed. It can be killed, paused and started again. It saves nothing unless it is
 * told to. No server outlives the JVM, even one that is killed. Linux only. Thread-safe.
 *
 * <pre>{@code
 * try (RedisServer redis = RedisServer.builder().config("appendonly", "yes").start()) {
 *     redis.command("SET", "order", "42");
 *     redis.kill();
 *     redis.restart();
 *     assertThat(redis.command("GET", "order")).isEqualTo("42");
 * }
 * }</pre>
 */
public final class RedisServer implements AutoCloseable {

    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(60);
    private static final Duration LOOK_TIMEOUT = Duration.ofSeconds(1);
    private static final int PORTS_TO_TRY = 5;
    private static final Pattern PROCESS_ID = Pattern.compile("process_id:(\\d+)");

    private final RedisBinary binary;
    private final boolean sentinel;
    private final List<String> login;
    private final Duration commandTimeout;
    private final int port;
    private final Optional<Integer> tlsPort;
    private final Path directory;
    private volatile @Nullable Process process;
    private volatile boolean paused;
    private boolean closed;

    private RedisServer(Builder builder) throws IOException {
        binary = builder.binary;
        sentinel = builder.sentinel;
        login = List.copyOf(builder.login);
        commandTimeout = builder.commandTimeout;
        port = LoopbackPorts.next();
        tlsPort = builder.tls ? Optional.of(LoopbackPorts.next()) : Optional.empty();
        directory = Files.createTempDirectory("redis-");
        ProcessGuard.opened(this);
        Files.write(configFile(), configuration(builder));
    }

    public static Builder builder() {
        return new Builder();
    }

    private List<String> configuration(Builder builder) {
        List<String> lines = new ArrayList<>();
        lines.add("bind 127.0.0.1");
        lines.add("port " + port);
        tlsPort.ifPresent(other -> lines.add("tls-port " + other));
        lines.add("dir " + Builder.quoted(directory.toString()));
        if (!sentinel) {
            lines.add("save \"\"");
            // Five seconds by default, for replicas that come later.
            lines.add("repl-diskless-sync-delay 0");
        }
        lines.addAll(builder.lines);
        return lines;
    }

    private Path configFile() {
        return directory.resolve("redis.conf");
    }

    private Path logFile() {
        return directory.resolve("redis.log");
    }

    /** The port of the loopback interface that it listens on, the same after a restart. */
    public int port() {
        return port;
    }

    /**
     * The port for connections with TLS.
     *
     * @throws IllegalStateException if it was built without
     */
    public int tlsPort() {
        return tlsPort.orElseThrow(() -> new IllegalStateException("the server has no TLS"));
    }

    public RedisBinary binary() {
        return binary;
    }

    /** The number of the process, which changes with each restart. */
    public long pid() {
        return running().pid();
    }

    /** Where it keeps its files. */
    public Path directory() {
        return directory;
    }

    /** All that it has printed, over all restarts. */
    public String log() {
        try {
            return Files.exists(logFile()) ? Files.readString(logFile()) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether there is a process, be it paused. */
    public boolean isAlive() {
        Process current = process;
        return current != null && current.isAlive();
    }

    /** Whether there is a process that is not paused. */
    boolean isAwake() {
        return !paused && isAlive();
    }

    /**
     * Sends a command and waits for its reply: a {@link String} (in UTF-8), a {@link Long}, a {@link List} of replies, or
     * null. Each call has a connection of its own, so no state stays behind: no {@code MULTI} over two calls, and neither
     * another user of the server nor what is done to his connections is in its way.
     *
     * @throws RedisError if the reply is an error; one inside a list is an element of the list
     * @throws UncheckedIOException if the server is not there, or does not answer in time; then the command may be carried
     *     out all the same
     */
    public @Nullable Object command(String... command) {
        return command(StandardCharsets.UTF_8, command);
    }

    /** The same, with keys and values in any bytes if the charset is ISO 8859-1. */
    public @Nullable Object command(Charset charset, String... command) {
        try {
            return call(commandTimeout, charset, command);
        } catch (IOException e) {
            throw new UncheckedIOException("port " + port + " did not answer " + command[0] + ": " + e.getMessage(), e);
        }
    }

    /** Asks a server that may be going, coming or loading: then there is no answer. */
    Optional<Object> ask(String... command) {
        if (!isAwake()) {
            return Optional.empty();
        }
        try {
            return Optional.ofNullable(call(LOOK_TIMEOUT, StandardCharsets.UTF_8, command));
        } catch (IOException | RedisError noAnswer) {
            return Optional.empty();
        }
    }

    private @Nullable Object call(Duration timeout, Charset charset, String... command) throws IOException {
        try (RedisConnection connection = new RedisConnection(port, timeout, charset)) {
            if (!login.isEmpty()) {
                connection.call("AUTH", login.get(0), login.get(1));
            }
            return connection.call(command);
        }
    }

    private synchronized void launch() {
        if (closed) {
            throw new IllegalStateException("the server is closed");
        }
        List<String> command =
                new ArrayList<>(List.of(binary.path().toString(), configFile().toString()));
        if (sentinel) {
            command.add("--sentinel");
        }
        Process started;
        try {
            started = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.appendTo(logFile().toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(binary + " does not start", e);
        }
        ProcessGuard.started(started);
        process = started;
        Patience.tryUntil(START_LIMIT, () -> !started.isAlive() || isReady());
        if (!isReady()) {
            String state = started.isAlive() ? "no answer after " + START_LIMIT : "the process has ended";
            throw new IllegalStateException(binary + " did not start: " + state + "\n" + log());
        }
    }

    /** Whether PING is answered, and not by a stranger that has the port. */
    private boolean isReady() {
        return ask("PING").filter("PONG"::equals).isPresent()
                && ask("INFO", "server").filter(this::isOwn).isPresent();
    }

    private boolean isOwn(Object serverSection) {
        Matcher pid = PROCESS_ID.matcher(serverSection.toString());
        return pid.find() && Long.parseLong(pid.group(1)) == pid();
    }

    /** Ends it at once with SIGKILL, as a crash does; its directory stays. Without effect if it is down already. */
    public synchronized void kill() {
        Process current = process;
        if (current == null) {
            return;
        }
        // A child that saves would go on for a while, in the directory of the next one.
        List<ProcessHandle> children = current.descendants().toList();
        current.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        awaitEnd(current);
    }

    /** Asks it to end with SIGTERM and waits until it has; its directory stays. Without effect if it is down already. */
    public synchronized void stop() {
        Process current = process;
        if (current == null) {
            return;
        }
        if (paused && current.isAlive()) {
            resume();
        }
        current.destroy();
        awaitEnd(current);
    }

    private void awaitEnd(Process ending) {
        if (!Patience.ended(ending, STOP_LIMIT)) {
            throw new IllegalStateException("process " + ending.pid() + " has not ended after " + STOP_LIMIT);
        }
        ProcessGuard.ended(ending);
        process = null;
        paused = false;
    }

    /**
     * Starts it again at the same port with the same directory and waits until it answers. One that is up is stopped
     * first, in an orderly way.
     *
     * @throws IllegalStateException if it does not answer in time; the message has the log
     */
    public synchronized void restart() {
        stop();
        launch();
    }

    /**
     * Holds the process with SIGSTOP: connections stay, new ones are still taken by the kernel, and no answer comes. When
     * this returns, it stands still.
     */
    public synchronized void pause() {
        ProcessPause.pause(running());
        paused = true;
    }

    /** Lets a paused process go on. */
    public synchronized void resume() {
        ProcessPause.resume(running());
        paused = false;
    }

    private Process running() {
        Process current = process;
        if (current == null) {
            throw new IllegalStateException("the server is down");
        }
        return current;
    }

    /** Kills it and deletes its directory. Without effect if it is closed already. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        kill();
        closed = true;
        ProcessGuard.closed(this);
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (NoSuchFileException deletedByTest) {
            // Then there is nothing left to delete.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return (sentinel ? "sentinel" : "redis") + ":" + port;
    }

    /** The settings of a server. A wrong value is refused at once, here or by the server. Not thread-safe. */
    public static final class Builder {

        private RedisBinary binary = RedisBinary.preferred();
        private final List<String> lines = new ArrayList<>();
        private List<String> login = List.of();
        private Duration commandTimeout = Duration.ofSeconds(30);
        private boolean tls;
        private boolean sentinel;

        private Builder() {}

        /** The program; by default {@link RedisBinary#preferred()}. */
        public Builder binary(RedisBinary binary) {
            this.binary = binary;
            return this;
        }

        /**
         * A line of the server's configuration file, such as {@code config("maxmemory", "10mb")}. Later lines override
         * earlier ones, where Redis does not collect them. Arguments follow the rules of that file: several are separated
         * by spaces, one with spaces is in quotes.
         */
        public Builder config(String directive, String arguments) {
            String line = directive + " " + (arguments.isEmpty() ? "\"\"" : arguments);
            if (line.indexOf('\n') >= 0) {
                throw new IllegalArgumentException("the directive is " + line + ", must be one line");
            }
            lines.add(line);
            return this;
        }

        /** Asks clients for a password; {@link RedisServer#command} and replication know it. */
        public Builder password(String password) {
            return config("requirepass", quoted(password))
                    .config("masterauth", quoted(password))
                    .login("default", password);
        }

        /** Whom {@link RedisServer#command} logs in as; needed where a file of users shuts out the default user. */
        public Builder login(String user, String password) {
            login = List.of(user, password);
            return this;
        }

        /**
         * Listens with TLS too, on {@link RedisServer#tlsPort()}, and asks for no certificate of clients unless
         * {@code tls-auth-clients} says so. The plain port stays, for {@link RedisServer#command}.
         *
         * @param certificate of the server, in PEM
         * @param key of the server, in PEM
         * @param authority the certificates that are trusted, in PEM
         */
        public Builder tls(Path certificate, Path key, Path authority) {
            tls = true;
            return config("tls-cert-file", quoted(certificate.toString()))
                    .config("tls-key-file", quoted(key.toString()))
                    .config("tls-ca-cert-file", quoted(authority.toString()))
                    .config("tls-auth-clients", "no");
        }

        /** How long {@link RedisServer#command} waits for the server; half a minute by default. */
        public Builder commandTimeout(Duration timeout) {
            if (timeout.toMillis() < 1 || timeout.toMillis() > Integer.MAX_VALUE) {
                throw new IllegalArgumentException("timeout is " + timeout + ", must be from PT0.001S to 24 days");
            }
            commandTimeout = timeout;
            return this;
        }

        Builder sentinel() {
            sentinel = true;
            return this;
        }

        Builder copy() {
            Builder copy = new Builder();
            copy.binary = binary;
            copy.lines.addAll(lines);
            copy.login = login;
            copy.commandTimeout = commandTimeout;
            copy.tls = tls;
            copy.sentinel = sentinel;
            return copy;
        }

        /**
         * Starts the server and waits until it answers.
         *
         * @throws IllegalStateException if it does not answer in time; the message has the log
         */
        public RedisServer start() {
            for (int attempt = 1; true; attempt++) {
                RedisServer server;
                try {
                    server = new RedisServer(this);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                try {
                    server.launch();
                    return server;
                } catch (IllegalStateException | UncheckedIOException e) {
                    // Between the look for a free port and the start, somebody else may have taken it.
                    boolean portTaken = server.log().contains("Address already in use");
                    server.close();
                    if (!portTaken || attempt == PORTS_TO_TRY) {
                        throw e;
                    }
                }
            }
        }

        static String quoted(String argument) {
            return '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
        }
    }
}
