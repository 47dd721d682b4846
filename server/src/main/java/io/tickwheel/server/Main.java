package io.tickwheel.server;

import io.tickwheel.engine.Clock;
import io.tickwheel.server.cli.TickwheelCommand;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.server.config.StartException;
import io.tickwheel.server.targets.InstalledTargets;
import io.tickwheel.server.wire.TargetKinds;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import org.slf4j.LoggerFactory;

/** The {@code tickwheel} command: the only place that takes signals, makes the random source and ends the process. */
@SuppressForbidden(reason = "the bootstrap: what is made here is a parameter everywhere else")
public final class Main {

    /** Beyond the drain timeout: for the last sync and for closing the files. */
    private static final long CLOSING_SECONDS = 10;

    /** The exit code for this. */
    private static final int CANNOT_START = 1;

    private static final int DONE = 0;

    /** The commands that run until they are told to end. */
    private static final Set<String> SERVERS = Set.of("dev", "serve");

    private Main() {}

    public static void main(String[] args) {
        Runnable untilThere = args.length > 0 && SERVERS.contains(args[0]) ? Main::halt : Main::endByItself;
        AtomicReference<Runnable> onSignal = new AtomicReference<>(untilThere);
        // Before all else: whoever starts a server may stop it before there is one.
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(() -> Objects.requireNonNull(onSignal.get()).run(), "tickwheel-stop"));
        int code;
        try {
            code = execute(args, onSignal);
        } finally {
            // Also of a start that fails with what nobody has thought of: that is no success.
            onSignal.compareAndSet(untilThere, Main::endByItself);
        }
        System.exit(code);
    }

    /** Returns the exit code. */
    private static int execute(String[] args, AtomicReference<Runnable> onSignal) {
        System.setProperty("vertx.logger-delegate-factory-class-name", "io.vertx.core.logging.SLF4JLogDelegateFactory");
        // Each handshake costs a server more than its client, and of TLS 1.2 a connection could have any number.
        System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
        TargetKinds kinds;
        try {
            kinds = InstalledTargets.kinds();
        } catch (ServiceConfigurationError e) {
            System.err.println("tickwheel: a kind of target beside the server cannot be loaded: " + e.getMessage());
            return CANNOT_START;
        }
        LongSupplier random = new SecureRandom()::nextLong;
        StandardOutput output = StandardOutput.install();
        int code = TickwheelCommand.execute(
                args,
                kinds,
                random,
                (config, ready) -> run(new Server(config, kinds, Clock.system(), random), config, ready, onSignal));
        return printed(output, code);
    }

    /** A command that has done what it was told, and could not say all of it, has failed. */
    private static int printed(StandardOutput output, int code) {
        System.out.flush();
        if (output.isWhole()) {
            return code;
        }
        String complaint = output.complaint();
        if (complaint != null) {
            System.err.println("tickwheel: " + complaint);
        }
        return code == DONE ? StartException.IO_ERROR : code;
    }

    /** Starts a server and waits until it has stopped: see {@link io.tickwheel.server.cli.Launcher}. */
    private static void run(
            Server server, ServerConfig config, IntPredicate ready, AtomicReference<Runnable> onSignal) {
        CompletableFuture<Integer> start = new CompletableFuture<>();
        // Before the start, which may take its time to open the targets.
        onSignal.set(() -> stop(server, config, start));
        CompletableFuture<Integer> unused = server.start().whenComplete((opened, failure) -> {
            if (failure == null) {
                start.complete(opened);
            } else {
                start.completeExceptionally(failure);
            }
        });
        int port;
        try {
            port = start.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof StartException failure
                    ? failure
                    : new StartException("cannot start: " + e.getCause(), e);
        }
        if (ready.test(port)) {
            server.awaitStop();
        } else {
            server.stop("its own work being done");
        }
    }

    /** Ends a process whose server is not there yet: nothing was opened. */
    private static void halt() {
        Runtime.getRuntime().halt(DONE);
    }

    /** Leaves the exit code as the JVM has it. */
    private static void endByItself() {}

    /**
     * Runs when the JVM is told to end. A JVM that ends because of a signal has an exit code of its own, so a server that has
     * drained halts with 0. One that failed to start, or has stopped before, keeps the code that its command ends with.
     */
    private static void stop(Server server, ServerConfig config, CompletableFuture<Integer> start) {
        if (start.isCompletedExceptionally() || server.hasStopped()) {
            return;
        }
        // A start that goes on for too long is left alone: what it has read is on the disk anyway.
        Thread closing = new Thread(() -> server.stop("a signal"), "tickwheel-close");
        closing.setDaemon(true);
        closing.start();
        try {
            closing.join(config.drainTimeout().plusSeconds(CLOSING_SECONDS).toMillis());
        } catch (InterruptedException e) {
            // Whoever interrupts the end of the JVM wants it now: what has not stopped by then is reported below.
            Thread.currentThread().interrupt();
        }
        boolean cutOff = closing.isAlive() && start.isDone();
        if (cutOff) {
            LoggerFactory.getLogger(Main.class).error("ended before the server had stopped, which took too long");
        }
        Runtime.getRuntime().halt(cutOff ? 1 : 0);
    }
}
