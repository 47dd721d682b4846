package io.tickwheel.server.cli;

import io.tickwheel.server.config.ConfigFile;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.server.logs.JsonLog;
import io.tickwheel.server.targets.HttpTargetKind;
import io.tickwheel.server.wire.TargetKinds;
import java.nio.file.Path;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tickwheel serve}: a server with a configuration. */
@Command(
        name = "serve",
        description = "Starts a server with the settings of a YAML file and of TICKWHEEL_ variables.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class ServeCommand implements Runnable {

    private final TargetKinds kinds;
    private final Launcher launcher;

    @Option(names = "--config", paramLabel = "FILE", description = "The settings, as YAML.", required = true)
    private String config = "";

    ServeCommand(TargetKinds kinds, Launcher launcher) {
        this.kinds = kinds;
        this.launcher = launcher;
    }

    @Override
    public void run() {
        ServerConfig settings = ConfigFile.read(Path.of(config), System.getenv(), kinds);
        if (settings.log().isJson()) {
            JsonLog.use();
        }
        settings.edge().check(settings.host());
        // Only here: the first logger sets up logging, for which other commands need not wait.
        Logger log = LoggerFactory.getLogger(ServeCommand.class);
        log.info(
                "callbacks may go to {}",
                HttpTargetKind.reach(settings.targetOptions().getOrDefault("http", Map.of())));
        launcher.launch(settings, port -> {
            log.info(
                    "ready on {}:{}, data in {}",
                    settings.host(),
                    port,
                    settings.store().place());
            return true;
        });
    }
}
