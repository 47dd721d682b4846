package io.tickwheel.server.cli;

import io.tickwheel.server.config.SettingNames;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** Which running server a command calls, and how it prints the answers: for a command with all of its subcommands. */
final class ServerArguments {

    private static final String DEFAULT = "http://127.0.0.1:7373";

    @Option(
            names = "--server",
            paramLabel = "URL",
            scope = ScopeType.INHERIT,
            description = "The server (default: the variable " + SettingNames.SERVER + ", or " + DEFAULT + ").")
    private @Nullable String url;

    @Mixin
    private OutputArguments outputs;

    @Mixin
    private LoginArguments logins;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    private final Surroundings around;

    ServerArguments(Surroundings around) {
        this.around = around;
        this.outputs = new OutputArguments(around);
        this.logins = new LoginArguments(around);
    }

    /** Makes a call that reads one object, and prints that. */
    int show(ApiPath path) {
        Output output = output();
        output.print(connect().get(path.toString()));
        return ExitCode.OK;
    }

    /** Makes a call that changes something and answers with one object, and prints that. */
    int call(String method, ApiPath path, @Nullable String body) {
        Output output = output();
        output.print(connect().send(method, path, body));
        return ExitCode.OK;
    }

    RemoteServer connect() {
        String variable = around.environment().get(SettingNames.SERVER);
        if (url != null) {
            return RemoteServer.at("--server", url, logins.login());
        }
        return RemoteServer.at(SettingNames.SERVER, variable == null ? DEFAULT : variable, logins.login());
    }

    /** Starts a bulk run and stays with it. */
    int bulk(String what, ApiPath path, OptionalLong total) {
        Output output = output();
        return follow(connect()).run(what, path, total, output);
    }

    BulkFollow follow(RemoteServer server) {
        return new BulkFollow(server, spec.commandLine().getErr(), around);
    }

    /** @throws io.tickwheel.server.config.StartException when two forms were asked for */
    Output output() {
        return outputs.output(spec.commandLine().getOut());
    }
}
