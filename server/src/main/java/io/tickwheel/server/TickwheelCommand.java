package io.tickwheel.server;

import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
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
        exitCodeList = {"0:stopped as told", "1:could not start", "2:wrong arguments", "65:the store is damaged"})
final class TickwheelCommand implements Runnable {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private TickwheelCommand() {}

    /**
     * Runs the command.
     *
     * @param launcher starts a server, tells the port when it is ready, and returns when it has stopped
     * @return the exit code
     */
    static int execute(String[] args, BiConsumer<ServerConfig, IntConsumer> launcher) {
        CommandLine commands = new CommandLine(new TickwheelCommand())
                .addSubcommand(new DevCommand(launcher))
                .addSubcommand(new ServeCommand(launcher));
        commands.setExecutionExceptionHandler((failure, command, parsed) -> {
            if (failure instanceof StartException start) {
                command.getErr().println("tickwheel: " + start.getMessage());
                return start.exitCode();
            }
            throw failure;
        });
        return commands.execute(args);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
