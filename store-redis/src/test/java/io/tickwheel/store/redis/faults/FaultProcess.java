package io.tickwheel.store.redis.faults;

import io.tickwheel.redis.testkit.Patience;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A node in a process of its own, which can be killed and stopped; see {@link NodeMain}. What it printed to its errors is in
 * {@code target/faults}.
 */
final class FaultProcess implements FaultNode {

    private static final long END_MS = 60_000;

    /** A stopped process does not notice that the test has ended. */
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly), "kill-nodes"));
    }

    private final NodeSetup setup;
    private final FaultLedger ledger;
    private final Process process;
    private final OutputStream commands;
    private final Thread reader;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Long, CompletableFuture<FaultAnswer>> asked = new ConcurrentHashMap<>();
    private volatile boolean ready;
    private volatile boolean leaving;
    private volatile String lastWords = "";
    private volatile long stoppedAtMs;

    FaultProcess(NodeSetup setup, FaultLedger ledger) {
        this.setup = setup;
        this.ledger = ledger;
        try {
            Path logs = Files.createDirectories(Path.of("target", "faults"));
            List<String> line = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx160m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UnlockDiagnosticVMOptions",
                    "-XX:-BytecodeVerificationRemote",
                    "-ea",
                    "-cp",
                    System.getProperty("java.class.path"),
                    NodeMain.class.getName()));
            line.addAll(setup.words());
            process = new ProcessBuilder(line)
                    .redirectError(ProcessBuilder.Redirect.appendTo(
                            logs.resolve(setup.name() + ".log").toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        RUNNING.add(process);
        commands = process.getOutputStream();
        reader = new Thread(this::read, setup.name());
        reader.setDaemon(true);
        reader.start();
    }

    /** Waits until it can be used. */
    FaultProcess awaitReady() {
        Patience.until("node " + name() + " is ready", () -> {
            if (!process.isAlive()) {
                throw new IllegalStateException("node " + name() + " has ended: " + lastWords);
            }
            return ready;
        });
        return this;
    }

    /** The last thing that it said that is no delivery and no answer. */
    String lastWords() {
        return lastWords;
    }

    private void read() {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                hear(line);
            }
        } catch (IOException e) {
            lastWords = e.toString();
        }
        leaving = true;
        asked.values().forEach(answer -> answer.complete(FaultAnswer.UNKNOWN));
    }

    private void hear(String line) {
        String[] words = line.split(" ", -1);
        switch (words[0]) {
            case "ready" -> ready = true;
            case "answer" -> {
                CompletableFuture<FaultAnswer> answer = asked.remove(Long.parseLong(words[1]));
                if (answer != null) {
                    answer.complete(FaultAnswer.of(words, 2));
                }
            }
            case "delivered" -> ledger.delivered(FaultDelivery.of(words, 1));
            case "handled" -> ledger.handled(FaultDelivery.of(words, 1), System.currentTimeMillis());
            case "stalled" ->
                ledger.cause(new FaultCause(
                        FaultCause.Kind.STALLED, name(), Long.parseLong(words[1]), Long.parseLong(words[2])));
            case "failed" -> ledger.failed(name(), line);
            default -> lastWords = line;
        }
    }

    @Override
    public String name() {
        return setup.name();
    }

    @Override
    public CompletableFuture<FaultAnswer> schedule(String key, String token, long dueAtMs) {
        return ask("schedule", key + " " + token + " " + dueAtMs);
    }

    @Override
    public CompletableFuture<FaultAnswer> cancel(String key) {
        return ask("cancel", key);
    }

    private CompletableFuture<FaultAnswer> ask(String command, String rest) {
        long number = numbers.incrementAndGet();
        CompletableFuture<FaultAnswer> answer = new CompletableFuture<>();
        asked.put(number, answer);
        say(command + " " + number + " " + rest);
        if (leaving) {
            answer.complete(FaultAnswer.UNKNOWN);
        }
        return answer;
    }

    /** It dies as soon as a timer gets there. */
    void dieAt(NodePhase phase, String key) {
        say("die " + phase + " " + key);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Waits for at most so long until it has died by itself, and says whether it has. */
    boolean awaitDeath(long boundMs) {
        long sinceMs = System.currentTimeMillis();
        boolean died = Patience.tryUntil(Duration.ofMillis(boundMs), () -> !process.isAlive());
        if (died) {
            ended(sinceMs);
        }
        return died;
    }

    /** Lets the handlers of held keys go on. */
    void free() {
        say("free");
    }

    private synchronized void say(String line) {
        try {
            commands.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            commands.flush();
        } catch (IOException gone) {
            // It has died, and what it was asked is unknown.
        }
    }

    void kill() {
        long sinceMs = System.currentTimeMillis();
        leaving = true;
        end(true);
        Patience.until("node " + name() + " is gone", () -> !process.isAlive());
        ended(sinceMs);
    }

    /** By its handle: the process itself would close the streams, and lose what it has said. */
    private void end(boolean now) {
        if (now) {
            process.toHandle().destroyForcibly();
        } else {
            process.toHandle().destroy();
        }
    }

    private void ended(long sinceMs) {
        try {
            // All that it said is heard before anybody judges.
            reader.join(END_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        RUNNING.remove(process);
        ledger.cause(new FaultCause(FaultCause.Kind.KILLED, name(), sinceMs, System.currentTimeMillis()));
    }

    void stop() {
        stoppedAtMs = System.currentTimeMillis();
        leaving = true;
        signal("STOP");
    }

    void goOn() {
        signal("CONT");
        leaving = false;
        ledger.cause(new FaultCause(FaultCause.Kind.STOPPED, name(), stoppedAtMs, System.currentTimeMillis()));
    }

    private void signal(String signal) {
        try {
            Process shell = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid()).start();
            if (!shell.waitFor(END_MS, TimeUnit.MILLISECONDS) || shell.exitValue() != 0) {
                throw new IllegalStateException("SIG" + signal + " did not reach node " + name());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public boolean isRunning() {
        return ready && !leaving && process.isAlive();
    }

    /** SIGTERM; it has to end by that. */
    @Override
    public void close() {
        if (!RUNNING.contains(process)) {
            return;
        }
        leaving = true;
        end(false);
        boolean gone = Patience.tryUntil(Duration.ofMillis(END_MS), () -> !process.isAlive());
        end(true);
        Patience.until("the process is gone", () -> !process.isAlive());
        RUNNING.remove(process);
        try {
            reader.join(END_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!gone) {
            throw new IllegalStateException("node " + name() + " did not end at SIGTERM");
        }
    }
}
