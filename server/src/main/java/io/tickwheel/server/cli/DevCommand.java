package io.tickwheel.server.cli;

import io.tickwheel.server.config.EdgeConfig;
import io.tickwheel.server.config.FileStoreConfig;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.server.config.Settings;
import io.tickwheel.server.config.StartException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tickwheel dev}: a server for this machine, without a configuration. */
@Command(
        name = "dev",
        description = "Starts a server for trying out, with its data in a directory.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class DevCommand implements Runnable {

    /** Whoever tries out has the receiver on the same machine. */
    private static final Map<String, String> CALLBACKS = Map.of("allow", "127.0.0.0/8, ::1", "ports", "1-65535");

    private final Launcher launcher;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "Port to listen on, 0 for any (default: ${DEFAULT-VALUE}).",
            defaultValue = "" + ServerConfig.DEFAULT_PORT)
    private String port = "";

    @Option(
            names = "--host",
            paramLabel = "HOST",
            description = "Loopback address to listen on (default: ${DEFAULT-VALUE}).",
            defaultValue = ServerConfig.DEFAULT_HOST)
    private String host = "";

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Directory of the timers (default: ./${DEFAULT-VALUE}).",
            defaultValue = FileStoreConfig.DEFAULT_DIRECTORY)
    private String data = "";

    DevCommand(Launcher launcher) {
        this.launcher = launcher;
    }

    @Override
    public void run() {
        int number;
        Path directory;
        try {
            number = Settings.integer("--port", port, 0, 65_535);
            directory = Settings.directory("--data", data);
            checkHost();
        } catch (StartException e) {
            throw new StartException(String.valueOf(e.getMessage()), CommandLine.ExitCode.USAGE, e);
        }
        ServerConfig settings = ServerConfig.of(host, number, directory).withTarget("http", CALLBACKS);
        launcher.launch(settings, opened -> {
            welcome(opened, directory);
            return true;
        });
    }

    /** What has no settings has no tokens and no TLS either. */
    private void checkHost() {
        if (!EdgeConfig.isLoopback(host)) {
            throw ToolArguments.wrong(
                    "--host",
                    host,
                    "must be a loopback address, as dev asks nobody for a token; use serve for an address that others reach");
        }
    }

    private void welcome(int opened, Path directory) {
        String api = "http://" + (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + opened + "/v1";
        PrintWriter out = spec.commandLine().getOut();
        out.println("Tickwheel " + Version.text() + " is ready.");
        out.println("  API   " + api);
        out.println("  data  " + directory.toAbsolutePath().normalize());
        out.println();
        out.println("Try:");
        out.println("  curl -X PUT " + api + "/queues/demo/timers/hello \\");
        out.println("    -H 'Content-Type: application/json' \\");
        out.println("    -d '{\"delay\":\"2s\",\"payload\":{\"hello\":1},\"target\":{\"log\":{}}}'");
        out.println();
        out.flush();
    }
}
