package io.tickwheel.server.cli;

import io.tickwheel.engine.DurationText;
import io.tickwheel.server.access.Caller;
import io.tickwheel.server.access.Scope;
import io.tickwheel.server.access.Token;
import io.tickwheel.server.access.TokenSecret;
import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.server.wire.TimeText;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;

/** {@code tickwheel tokens}: who may call a running server, and the first token of one that is still to start. */
@Command(
        name = "tokens",
        description = "Makes, lists and revokes tokens.",
        scope = ScopeType.INHERIT,
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class TokensCommand {

    private static final List<String> COLUMNS =
            List.of("id", "name", "scopes", "queuePrefix", "rate", "createdAt", "expiresAt");

    @Mixin
    private ServerArguments arguments;

    private final Surroundings around;

    TokensCommand(Surroundings around) {
        this.around = around;
        this.arguments = new ServerArguments(around);
    }

    @Command(
            name = "generate",
            description =
                    "Makes the token of the administrator without a server: prints it, and the setting with its hash"
                            + " as it stands in the file.")
    int generate() {
        TokenSecret secret = TokenSecret.create(around.random());
        Token token = new Token(new Caller(secret.id(), "admin", Set.of(Scope.ADMIN), null), secret.hash(), 0, null);
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("token", secret.reveal());
        fields.put("access.admin", token.setting());
        String setting = "access:" + System.lineSeparator() + "  admin: " + token.setting();
        String text = "token: " + secret.reveal() + System.lineSeparator().repeat(2) + setting;
        arguments.output().print(new RemoteServer.Answer(json(fields), fields), text);
        return ExitCode.OK;
    }

    @Command(name = "create", description = "Makes a token, and prints it: it cannot be shown again.")
    int create(
            @Option(names = "--name", paramLabel = "NAME", required = true, description = "What it is called.")
                    String name,
            @Option(
                            names = "--scope",
                            paramLabel = "SCOPE",
                            required = true,
                            split = ",",
                            description =
                                    "What it is for: schedule, cancel, read, pull, admin; may be there several times.")
                    List<String> scopes,
            @Option(
                            names = "--queue-prefix",
                            paramLabel = "PREFIX",
                            description = "For queues whose names begin with this; for all otherwise.")
                    @Nullable
                    String queuePrefix,
            @Option(
                            names = "--expires-in",
                            paramLabel = "DURATION",
                            description = "How long it is good, such as 90d; for ever otherwise.")
                    @Nullable
                    String expiresIn,
            @Option(
                            names = "--rate",
                            paramLabel = "N",
                            description = "How many calls a second may be made with it at each node, 0.001 to 1000000;"
                                    + " any number otherwise.")
                    @Nullable
                    BigDecimal rate,
            @Option(
                            names = "--burst",
                            paramLabel = "N",
                            description = "How many of them at once, with --rate; those of a second otherwise.")
                    @Nullable
                    Integer burst) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", name);
        fields.put("scopes", scopes);
        if (queuePrefix != null) {
            fields.put("queuePrefix", queuePrefix);
        }
        if (burst != null && rate == null) {
            throw ToolArguments.wrong("--burst", burst.toString(), "goes with --rate only");
        }
        if (rate != null) {
            fields.put("rate", burst == null ? Map.of("perSecond", rate) : Map.of("perSecond", rate, "burst", burst));
        }
        if (expiresIn != null) {
            fields.put("expiresAt", expiresAt(expiresIn));
        }
        return arguments.call("POST", ApiPath.tokens(), json(fields));
    }

    private String expiresAt(String expiresIn) {
        try {
            long inMs = DurationText.parse(expiresIn).toMillis();
            return TimeText.format(Math.addExact(around.clock().wallMs(), inMs));
        } catch (IllegalArgumentException e) {
            throw ToolArguments.wrong("--expires-in", expiresIn, String.valueOf(e.getMessage()));
        } catch (ArithmeticException e) {
            throw ToolArguments.wrong("--expires-in", expiresIn, "must be shorter");
        }
    }

    private static String json(Map<String, Object> fields) {
        return new JsonOut(256).value(fields).toBuffer().toString(StandardCharsets.UTF_8);
    }

    @Command(name = "list", description = "Lists the tokens, without what is secret of them.")
    int list() {
        Output output = arguments.output();
        output.print(arguments.connect().list(ApiPath.tokens(), "tokens"), "tokens", COLUMNS);
        return ExitCode.OK;
    }

    @Command(name = "revoke", description = "Has a token be good for nothing any more, on all nodes within a second.")
    int revoke(@Parameters(paramLabel = "ID", description = "The token's, as the list has it.") String id) {
        return arguments.call("DELETE", ApiPath.tokens().part(id), null);
    }
}
