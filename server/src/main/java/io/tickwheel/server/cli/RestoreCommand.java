package io.tickwheel.server.cli;

import io.tickwheel.store.file.StoreBackup;
import io.tickwheel.store.file.StoreDirectory;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tickwheel restore}: makes a data directory of a backup. */
@Command(
        name = "restore",
        description = "Makes a data directory of a backup, which is checked first.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class RestoreCommand implements Runnable {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(index = "0", paramLabel = "FROM", description = "The backup.")
    private String backup = "";

    @Parameters(index = "1", paramLabel = "DIR", description = "The data directory; must not exist or be empty.")
    private String data = "";

    private final Surroundings around;

    RestoreCommand(Surroundings around) {
        this.around = around;
    }

    @Override
    public void run() {
        StoreDirectory directory = StoreDirectory.at(ToolArguments.directory("DIR", data));
        Path from = ToolArguments.directory("FROM", backup);
        StoreBackup done;
        try (Progress progress = Progress.of("restore", spec.commandLine().getErr(), around)) {
            done = directory.withProgress(progress::bytes).restoreFrom(from);
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println("restored " + done.files() + " files with " + done.bytes() + " bytes, up to LSN " + done.endLsn());
        out.flush();
    }
}
