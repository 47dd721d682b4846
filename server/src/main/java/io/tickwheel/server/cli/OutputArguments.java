package io.tickwheel.server.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** How a command prints what it is asked for: for a command with all of its subcommands. */
final class OutputArguments {

    @Option(
            names = "--json",
            scope = ScopeType.INHERIT,
            description = "Prints JSON, as is done where the output is no terminal.")
    private boolean json;

    @Option(names = "--table", scope = ScopeType.INHERIT, description = "Prints a table, as is done on a terminal.")
    private boolean table;

    private final Surroundings around;

    OutputArguments(Surroundings around) {
        this.around = around;
    }

    /** @throws io.tickwheel.server.config.StartException when two forms were asked for */
    Output output(PrintWriter out) {
        if (json && table) {
            throw ToolArguments.wrong("--json and --table are there, must be at most one");
        }
        return new Output(out, table || (!json && around.showsOutput()));
    }
}
