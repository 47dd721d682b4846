package io.tickwheel.server.cli;

import io.tickwheel.server.config.StartException;
import io.tickwheel.server.wire.TargetKinds;
import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFormatException;
import io.tickwheel.store.StoreLockedException;
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
        return commands(kinds, launcher, Surroundings.ofProcess(random)).execute(args);
    }

    static CommandLine commands(TargetKinds kinds, Launcher launcher, Surroundings around) {
        CommandLine commands = new CommandLine(new TickwheelCommand())
                .addSubcommand(new DevCommand(launcher))
                .addSubcommand(new ServeCommand(kinds, launcher))
                .addSubcommand(new TrainCommand(launcher))
                .addSubcommand(new InspectCommand())
                .addSubcommand(new VerifyCommand(kinds, around))
                .addSubcommand(new BackupCommand(around))
                .addSubcommand(new RestoreCommand(around))
                .addSubcommand(new RecoverCommand(around))
                .addSubcommand(new ExportCommand(kinds, around))
                .addSubcommand(new ImportCommand(kinds, around))
                .addSubcommand(new AcceptEmptyCommand(kinds))
                .addSubcommand(new QueuesCommand(around, kinds))
                .addSubcommand(new TimersCommand(around, kinds))
                .addSubcommand(new DeadCommand(around))
                .addSubcommand(new LeasesCommand(around))
                .addSubcommand(new BulkCommand(around))
                .addSubcommand(new TokensCommand(around))
                .addSubcommand(new ConfigCommand(around, kinds));
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
