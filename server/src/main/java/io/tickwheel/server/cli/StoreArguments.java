package io.tickwheel.server.cli;

import io.tickwheel.server.config.ConfigFile;
import io.tickwheel.server.config.FileStoreConfig;
import io.tickwheel.server.config.StartException;
import io.tickwheel.server.config.StoreConfig;
import io.tickwheel.server.wire.TargetKinds;
import java.util.stream.Stream;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which store a command reads: a directory, what lies in a Redis, or what a server's configuration names. */
final class StoreArguments {

    @Parameters(paramLabel = "DIR", arity = "0..1", description = "A data directory, or a backup.")
    private String data = "";

    @Option(
            names = "--redis",
            paramLabel = "URI",
            description =
                    "Redis instead of a directory: redis://host:port. The other settings, such as the password, are those"
                            + " of the environment, as for serve.")
    private String redis = "";

    @Option(names = "--config", paramLabel = "FILE", description = "The store of a server: its settings, as YAML.")
    private String config = "";

    private final TargetKinds kinds;

    StoreArguments(TargetKinds kinds) {
        this.kinds = kinds;
    }

    /** @throws StartException when it is not exactly one store, or a setting breaks its rule */
    StoreConfig config() {
        if (Stream.of(data, redis, config).filter(String::isEmpty).count() != 2) {
            throw new StartException(
                    "must have one of DIR, --redis and --config",
                    ExitCode.USAGE,
                    new IllegalArgumentException("not one store"));
        }
        if (!config.isEmpty()) {
            return ConfigFile.read(ToolArguments.directory("--config", config), System.getenv(), kinds)
                    .store();
        }
        if (!redis.isEmpty()) {
            return ConfigFile.redis(redis, System.getenv(), kinds);
        }
        return FileStoreConfig.in(ToolArguments.directory("DIR", data));
    }
}
