package io.tickwheel.server.cli;

import io.tickwheel.server.config.StartException;
import io.tickwheel.server.wire.DamageText;
import io.tickwheel.store.file.StoreDirectory;
import io.tickwheel.store.file.StoreSalvage;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tickwheel recover}: makes a store of what can be read of a damaged one. */
@Command(
        name = "recover",
        description = "Makes a store of what can be read of a damaged one, and reports what is lost.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class RecoverCommand implements Runnable {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--quarantine",
            required = true,
            description = "Says that what cannot be read may be given up; the originals are kept in DIR/quarantine.")
    private boolean quarantine;

    @Parameters(paramLabel = "DIR", description = "The data directory; no server may have it open.")
    private String data = "";

    private final Surroundings around;

    RecoverCommand(Surroundings around) {
        this.around = around;
    }

    @Override
    public void run() {
        if (!quarantine) {
            throw new StartException(
                    "--quarantine is false, must be true",
                    ExitCode.USAGE,
                    new IllegalArgumentException("--quarantine"));
        }
        StoreDirectory directory = StoreDirectory.at(ToolArguments.directory("DIR", data));
        StoreSalvage done;
        try (Progress progress = Progress.of("recover", spec.commandLine().getErr(), around)) {
            done = directory.withProgress(progress::bytes).salvage();
        }
        PrintWriter out = spec.commandLine().getOut();
        done.damages().forEach(damage -> out.println(DamageText.of(damage)));
        if (done.quarantine() == null) {
            out.println("nothing is damaged that the next start does not mend; nothing was changed");
        } else {
            out.println("kept " + done.kept() + " timers; known to be lost: " + done.lost() + unknown(done));
            out.println("the originals are in " + done.quarantine());
            out.println("Timers that were cancelled, completed or replaced in a part of the log that is lost can be"
                    + " delivered again.");
        }
        out.flush();
    }

    private static String unknown(StoreSalvage done) {
        long damages = done.damages().stream()
                .filter(damage -> damage.timers().isEmpty())
                .count();
        return damages == 0 ? "" : ", and more by " + damages + " of the damages above, of which nobody knows how many";
    }
}
