package io.tickwheel.server.cli;

import io.tickwheel.server.config.Settings;
import io.tickwheel.server.config.StartException;
import io.tickwheel.server.wire.TargetKinds;
import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFormatException;
import io.tickwheel.store.StoreLockedException;
import java.util.List;
import java.util.function.LongSupplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line without a subcommand. */
@Command(
        name = "tickwheel",
        description = "Durable timers: schedule now, deliver when it is due.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:stopped as told, or done",
            "1:could not start; or the server refused, or a bulk run did not come to its end",
            "2:wrong arguments",
            "65:the store is damaged, or of another version",
            "69:the server cannot be reached, or has not answered",
            "74:I/O error, or no store",
            "75:the store is open elsewhere, or too busy"
        })
public final class TickwheelCommand implements Runnable {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private TickwheelCommand() {}

    /**
     * Runs the command.
     *
     * @param kinds what targets timers and settings may name
     * @param random 64 secure random bits at each call
     * @return the exit code
     */
    public static int execute(String[] args, TargetKinds kinds, LongSupplier random, Launcher launcher) {
        CommandLine commands = commands(args, kinds, launcher, Surroundings.ofProcess(random));
        String complaint = ArgumentText.complaint(args, System.getProperty(Settings.LOCALE_ENCODING));
        if (complaint != null) {
            commands.getErr().println("tickwheel: " + complaint);
            return CommandLine.ExitCode.USAGE;
        }
        return commands.execute(args);
    }

    /**
     * The command line that some words are for. Of its subcommands there is only the one that they begin with, as picocli takes long to learn what each may be
     * given; where they begin with none, all are there: for the help, and for what may have been meant.
     */
    static CommandLine commands(String[] words, TargetKinds kinds, Launcher launcher, Surroundings around) {
        List<Object> known = List.of(
                new DevCommand(launcher),
                new ServeCommand(kinds, launcher),
                new TrainCommand(launcher),
                new InspectCommand(),
                new VerifyCommand(kinds, around),
                new BackupCommand(around),
                new RestoreCommand(around),
                new RecoverCommand(around),
                new ExportCommand(kinds, around),
                new ImportCommand(kinds, around),
                new AcceptEmptyCommand(kinds),
                new QueuesCommand(around, kinds),
                new TimersCommand(around, kinds),
                new DeadCommand(around),
                new LeasesCommand(around),
                new BulkCommand(around),
                new TokensCommand(around),
                new ConfigCommand(around, kinds));
        List<Object> named = known.stream()
                .filter(command -> words.length > 0 && name(command).equals(words[0]))
                .toList();
        CommandLine commands = new CommandLine(new TickwheelCommand());
        (named.isEmpty() ? known : named).forEach(commands::addSubcommand);
        // A word with an @ before it is a payload, or a key.
        commands.setExpandAtFiles(false);
        commands.setExecutionExceptionHandler((failure, command, parsed) -> {
            if (failure instanceof StartException start) {
                command.getErr().println("tickwheel: " + start.getMessage());
                return start.exitCode();
            }
            if (failure instanceof StoreException store) {
                command.getErr().println("tickwheel: " + store.getMessage());
                return exitCode(store);
            }
            throw failure;
        });
        return commands;
    }

    private static String name(Object command) {
        return command.getClass().getAnnotation(Command.class).name();
    }

    /** The sysexits codes. */
    private static int exitCode(StoreException failure) {
        if (failure instanceof StoreCorruptedException || failure instanceof StoreFormatException) {
            return StartException.DATA_ERROR;
        }
        return failure instanceof StoreLockedException ? StartException.TRY_AGAIN : StartException.IO_ERROR;
    }

    /** The version of this build. */
    public static String version() {
        return Version.text();
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
