package io.tickwheel.server.cli;

import io.tickwheel.server.config.RedisStoreConfig;
import io.tickwheel.server.config.StartException;
import io.tickwheel.server.wire.TargetKinds;
import io.tickwheel.store.redis.RedisNamespace;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tickwheel accept-empty}: has nodes go on after Redis came back without what it held. */
@Command(
        name = "accept-empty",
        description =
                "Accepts that what a Redis held is gone: its nodes, which have stopped, go on with what is there now.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class AcceptEmptyCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private StoreArguments store;

    @Option(
            names = "--lost",
            paramLabel = "ID",
            required = true,
            description = "The id of what is gone, as the nodes name it in their logs and at /readyz.")
    private String lost = "";

    AcceptEmptyCommand(TargetKinds kinds) {
        store = new StoreArguments(kinds);
    }

    @Override
    public Integer call() {
        if (!(store.config() instanceof RedisStoreConfig redis)) {
            throw wrong("must be a store on Redis: --redis or --config");
        }
        try {
            String id = RedisNamespace.acceptEmpty(redis.address(), redis.namespace(), lost);
            spec.commandLine().getOut().println(redis.place() + ": accepted, its id is " + id);
            return ExitCode.OK;
        } catch (IllegalArgumentException e) {
            throw wrong("--lost: " + e.getMessage());
        }
    }

    private static StartException wrong(String rule) {
        return new StartException(rule, ExitCode.USAGE, new IllegalArgumentException(rule));
    }
}
