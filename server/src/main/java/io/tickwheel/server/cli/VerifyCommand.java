package io.tickwheel.server.cli;

import io.tickwheel.server.config.StartException;
import io.tickwheel.server.config.StoreConfig;
import io.tickwheel.server.config.StoreFindings;
import io.tickwheel.server.wire.TargetKinds;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tickwheel verify}: reads all of a store and tells what is damaged. */
@Command(
        name = "verify",
        description = "Reads all of a store and tells what is damaged. Changes nothing; servers may have it open.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class VerifyCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private StoreArguments store;

    @Option(names = "--json", description = "Prints JSON.")
    private boolean json;

    private final Surroundings around;

    VerifyCommand(TargetKinds kinds, Surroundings around) {
        this.around = around;
        store = new StoreArguments(kinds);
    }

    @Override
    public Integer call() {
        StoreConfig config = store.config();
        StoreFindings found;
        try (Progress progress = Progress.of("verify", spec.commandLine().getErr(), around)) {
            found = config.verify(progress);
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(found.json().toBuffer());
        } else {
            found.print(out);
        }
        out.flush();
        return found.isSound() ? ExitCode.OK : StartException.DATA_ERROR;
    }
}
