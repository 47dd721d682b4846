package io.tickwheel.server.cli;

import io.tickwheel.engine.Clock;
import io.tickwheel.server.targets.InstalledTargets;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Runs commands in surroundings that a test has made. Immutable. */
record CommandRun(
        List<String> always,
        Map<String, String> environment,
        boolean showsOutput,
        boolean showsErrors,
        Clock clock,
        LongConsumer pause,
        Launcher launcher) {

    private static final SplittableRandom RANDOM = new SplittableRandom(7);
    private static final Launcher NO_SERVER = (config, ready) -> {
        throw new AssertionError("no server is started");
    };

    /** In a pipe, and on one server. */
    static CommandRun on(String server) {
        return new CommandRun(
                List.of("--server", server), Map.of(), false, false, Clock.system(), LockSupport::parkNanos, NO_SERVER);
    }

    static CommandRun inPipe() {
        return new CommandRun(List.of(), Map.of(), false, false, Clock.system(), LockSupport::parkNanos, NO_SERVER);
    }

    CommandRun onTerminal() {
        return new CommandRun(always, environment, true, true, clock, pause, launcher);
    }

    CommandRun with(String variable, String value) {
        Map<String, String> more = new HashMap<>(environment);
        more.put(variable, value);
        return new CommandRun(always, more, showsOutput, showsErrors, clock, pause, launcher);
    }

    CommandRun with(Clock other, LongConsumer pausing) {
        return new CommandRun(always, environment, showsOutput, showsErrors, other, pausing, launcher);
    }

    CommandRun with(Launcher other) {
        return new CommandRun(always, environment, showsOutput, showsErrors, clock, pause, other);
    }

    Ended run(Object... arguments) {
        String[] words = Stream.concat(Stream.of(arguments).map(Object::toString), always.stream())
                .toArray(String[]::new);
        StringWriter output = new StringWriter();
        StringWriter errors = new StringWriter();
        CommandLine commands = TickwheelCommand.commands(
                words,
                InstalledTargets.kinds(),
                launcher,
                new Surroundings(environment, showsOutput, showsErrors, clock, pause, RANDOM::nextLong));
        // Their own: the server of a test logs to the standard error.
        commands.setOut(new PrintWriter(output)).setErr(new PrintWriter(errors));
        int code = commands.execute(words);
        return new Ended(code, output.toString(), errors.toString());
    }
}
