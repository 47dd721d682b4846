package io.tickwheel.server.cli;

import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.server.config.StartException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code tickwheel train}: a server that works for itself for some seconds, in a directory that it deletes. What the JVM has loaded
 * and counted meanwhile is kept by {@code bin/tickwheel}, for later starts.
 */
@Command(
        name = "train",
        description = {
            "Runs a server with a load of its own for some seconds, on files that it deletes.",
            "bin/tickwheel train keeps what the JVM has learned meanwhile, so that later starts are faster."
        },
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class TrainCommand implements Runnable {

    private static final Map<String, String> CALLBACKS = Map.of("allow", "127.0.0.0/8", "ports", "1-65535");
    private static final int MOST_TIMERS = 1_000_000;

    private final Launcher launcher;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--timers",
            paramLabel = "COUNT",
            description = "How many timers it schedules one by one (default: ${DEFAULT-VALUE}).",
            defaultValue = "20000")
    private String timers = "";

    TrainCommand(Launcher launcher) {
        this.launcher = launcher;
    }

    @Override
    public void run() {
        int count = ToolArguments.integer("--timers", timers, 1, MOST_TIMERS);
        Path directory;
        try {
            directory = Files.createTempDirectory("tickwheel-train-");
        } catch (IOException e) {
            throw new StartException(
                    "cannot make a directory to train in: " + ToolArguments.fileAndReason(e),
                    StartException.IO_ERROR,
                    e);
        }
        try {
            ServerConfig settings =
                    ServerConfig.of(ServerConfig.DEFAULT_HOST, 0, directory).withTarget("http", CALLBACKS);
            train(settings, count);
        } finally {
            delete(directory);
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println("Trained with " + count + " timers.");
        out.flush();
    }

    /** The server has stopped, and has left its directory, when this ends in either way. */
    private void train(ServerConfig settings, int count) {
        AtomicReference<@Nullable StartException> failure = new AtomicReference<>();
        launcher.launch(settings, port -> {
            try {
                new TrainingLoad(port, count).run();
            } catch (StartException e) {
                failure.set(e);
            }
            return false;
        });
        StartException failed = failure.get();
        if (failed != null) {
            throw failed;
        }
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new StartException(
                    "cannot delete " + directory + ": " + ToolArguments.fileAndReason(e), StartException.IO_ERROR, e);
        }
    }
}
