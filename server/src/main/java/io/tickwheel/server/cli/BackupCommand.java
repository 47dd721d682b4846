package io.tickwheel.server.cli;

import io.tickwheel.store.file.StoreBackup;
import io.tickwheel.store.file.StoreDirectory;
import java.io.PrintWriter;
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

    @Override
    public void run() {
        StoreBackup made =
                StoreDirectory.at(ToolArguments.directory("DIR", data)).backUpTo(ToolArguments.directory("TO", target));
        PrintWriter out = spec.commandLine().getOut();
        out.println("copied " + made.files() + " files with " + made.bytes() + " bytes, up to LSN " + made.endLsn());
        out.flush();
    }
}
