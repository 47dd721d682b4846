package io.tickwheel.server.cli;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;

/** {@code tickwheel bulk}: the bulk runs of a running server. */
@Command(
        name = "bulk",
        description = "Lists, shows and stops bulk runs of a running server.",
        scope = ScopeType.INHERIT,
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class BulkCommand {

    private static final List<String> COLUMNS =
            List.of("id", "action", "queue", "state", "matched", "changed", "passed", "startedAt");

    @Mixin
    private ServerArguments arguments;

    BulkCommand(Surroundings around) {
        this.arguments = new ServerArguments(around);
    }

    @Command(name = "list", description = "Lists the bulk runs that the server knows.")
    int list() {
        Output output = arguments.output();
        output.print(arguments.connect().list(ApiPath.bulk(), "runs"), "runs", COLUMNS);
        return ExitCode.OK;
    }

    @Command(name = "show", description = "Shows how far a bulk run has come.")
    int show(@Parameters(paramLabel = "ID", description = "The run.") String id) {
        return arguments.show(ApiPath.bulk().part(id));
    }

    @Command(name = "stop", description = "Stops a bulk run: what it has not come to stays as it is.")
    int stop(@Parameters(paramLabel = "ID", description = "The run.") String id) {
        return arguments.call("DELETE", ApiPath.bulk().part(id), null);
    }
}
