package io.tickwheel.server.cli;

import io.tickwheel.store.file.StoreBackup;
import io.tickwheel.store.file.StoreDirectory;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tickwheel backup}: copies a data directory that a server may have open. */
@Command(
        name = "backup",
        description = "Copies a data directory, also while a server has it open, with all that was accepted before.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class BackupCommand implements Runnable {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(index = "0", paramLabel = "DIR", description = "The data directory.")
    private String data = "";

    @Parameters(index = "1", paramLabel = "TO", description = "Where the copy goes; must not exist or be empty.")
    private String target = "";

    private final Surroundings around;

    BackupCommand(Surroundings around) {
        this.around = around;
    }

    @Override
    public void run() {
        StoreDirectory directory = StoreDirectory.at(ToolArguments.directory("DIR", data));
        Path to = ToolArguments.directory("TO", target);
        StoreBackup made;
        try (Progress progress = Progress.of("backup", spec.commandLine().getErr(), around)) {
            made = directory.withProgress(progress::bytes).backUpTo(to);
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println("copied " + made.files() + " files with " + made.bytes() + " bytes, up to LSN " + made.endLsn());
        out.flush();
    }
}
