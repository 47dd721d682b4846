package io.tickwheel.server.cli;

import io.tickwheel.server.config.FileStoreConfig;
import io.tickwheel.server.config.RedisStoreConfig;
import io.tickwheel.server.config.StartException;
import io.tickwheel.server.config.StoreConfig;
import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.server.wire.TargetKinds;
import io.tickwheel.store.file.StoreDirectory;
import io.tickwheel.store.file.StoreVerification;
import io.tickwheel.store.redis.RedisVerification;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tickwheel verify}: reads a data directory and tells what is damaged. */
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

    VerifyCommand(TargetKinds kinds) {
        store = new StoreArguments(kinds);
    }

    @Override
    public Integer call() {
        StoreConfig config = store.config();
        return config instanceof RedisStoreConfig redis ? verify(redis) : verify((FileStoreConfig) config);
    }

    private int verify(RedisStoreConfig redis) {
        RedisVerification.Report found = RedisVerification.verify(redis.address(), redis.namespace());
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(FindingText.json(found).toBuffer());
        } else {
            FindingText.print(found, out);
        }
        out.flush();
        return found.isSound() ? ExitCode.OK : StartException.DATA_ERROR;
    }

    private int verify(FileStoreConfig files) {
        StoreVerification found = StoreDirectory.at(files.directory()).verify();
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(json(found).toBuffer());
        } else {
            found.damages().forEach(damage -> out.println(DamageText.of(damage)));
            out.println("read " + found.segments() + " segments with " + found.logRecords() + " records and "
                    + found.runs() + " runs with " + found.timers() + " timers: "
                    + (found.damages().isEmpty()
                            ? "all is well"
                            : found.damages().size() + " damaged places"));
        }
        out.flush();
        return found.damages().isEmpty() ? ExitCode.OK : StartException.DATA_ERROR;
    }

    private static JsonOut json(StoreVerification found) {
        JsonOut out = new JsonOut(1_024).open('{');
        out.field("segments").number(found.segments());
        out.field("logRecords").number(found.logRecords());
        out.field("runs").number(found.runs());
        out.field("timers").number(found.timers());
        out.field("damages").open('[');
        found.damages().forEach(damage -> DamageText.write(out.element(), damage));
        return out.close(']').close('}');
    }
}
