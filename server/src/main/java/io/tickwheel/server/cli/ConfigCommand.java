package io.tickwheel.server.cli;

import io.tickwheel.server.config.ConfigFile;
import io.tickwheel.server.config.ExplainedSetting;
import io.tickwheel.server.wire.TargetKinds;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code tickwheel config}: the settings that a server would start with. */
@Command(
        name = "config",
        description = "Tells what holds of the settings, and why.",
        scope = ScopeType.INHERIT,
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class ConfigCommand {

    private static final String NAME = "name";
    private static final String VALUE = "value";
    private static final String ORIGIN = "origin";
    private static final String UNIT = "unit";
    private static final String DEFAULT = "default";

    private final Surroundings around;
    private final TargetKinds kinds;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private OutputArguments outputs;

    ConfigCommand(Surroundings around, TargetKinds kinds) {
        this.around = around;
        this.kinds = kinds;
        this.outputs = new OutputArguments(around);
    }

    @Command(
            name = "explain",
            description =
                    "Prints each setting as serve would have it: its value, where that is from, its unit and its default."
                            + " Secrets are hidden; what serve would refuse is refused.")
    int explain(
            @Option(
                            names = "--config",
                            paramLabel = "FILE",
                            description = "The settings, as YAML; without it, those of the environment alone.")
                    @Nullable
                    String config) {
        List<Map<String, String>> rows =
                ConfigFile.explain(config == null ? null : Path.of(config), around.environment(), kinds).stream()
                        .map(ConfigCommand::row)
                        .toList();
        outputs.output(spec.commandLine().getOut())
                .print("settings", rows, List.of(NAME, VALUE, ORIGIN, UNIT, DEFAULT), null);
        return ExitCode.OK;
    }

    private static Map<String, String> row(ExplainedSetting setting) {
        Map<String, String> row = new LinkedHashMap<>();
        row.put(NAME, setting.name());
        row.put(VALUE, setting.value());
        row.put(ORIGIN, setting.origin());
        row.put(UNIT, setting.unit());
        row.put(DEFAULT, setting.absent());
        return row;
    }
}
