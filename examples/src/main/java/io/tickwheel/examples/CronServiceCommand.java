package io.tickwheel.examples;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.file.FileTimerStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A {@link CronService} at the console: with a folder it reads commands and goes on where it was ended, or killed, before; without one it shows itself. */
final class CronServiceCommand {

    private static final Duration SOME_RUNS = Duration.ofMillis(3_500);

    private final Stage stage;
    private final CronCommands commands;

    private CronServiceCommand(Stage stage, Tickwheel timers) {
        this.stage = stage;
        CronService service = new CronService(
                timers, run -> stage.say(run.name() + " runs for the " + run.number() + ". time: " + run.task()));
        commands = new CronCommands(service);
    }

    static void run(Stage stage, List<String> arguments) throws IOException, InterruptedException {
        Arguments.atMost(arguments, 1);
        boolean isShow = arguments.isEmpty();
        Path folder = isShow ? Files.createTempDirectory("tickwheel-example-") : Path.of(arguments.get(0));
        try (Tickwheel timers = Tickwheel.open(FileTimerStore.in(folder))) {
            CronServiceCommand command = new CronServiceCommand(stage, timers);
            if (isShow) {
                command.show();
            } else {
                command.readCommands();
            }
        }
    }

    private void readCommands() throws IOException, InterruptedException {
        stage.say("commands: " + CronCommands.USAGE + " | quit");
        carryOut("list");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null && !line.strip().equals("quit"); line = in.readLine()) {
            carryOut(line);
        }
    }

    private void carryOut(String line) throws InterruptedException {
        Tickwheel.await(commands.run(line)).lines().forEach(stage::say);
    }

    private void show() throws InterruptedException {
        showCommand("activate backup * * * * * * copies the database");
        showCommand("activate report 0 0 8 * * MON writes the report of the week");
        stage.awaitEnd(SOME_RUNS);
        showCommand("pause backup");
        showCommand("list");
        stage.awaitEnd(SOME_RUNS);
        showCommand("resume backup");
        stage.awaitEnd(SOME_RUNS);
        showCommand("remove report");
        showCommand("list");
    }

    private void showCommand(String line) throws InterruptedException {
        stage.say("> " + line);
        carryOut(line);
    }
}
