package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.RunningServer;
import io.tickwheel.server.access.Token;
import io.tickwheel.server.config.ConfigFile;
import io.tickwheel.server.config.EdgeConfig;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.server.http.Tokened;
import io.tickwheel.server.targets.InstalledTargets;
import io.tickwheel.server.tls.TestIdentity;
import io.tickwheel.server.tls.TlsFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens from the command line, and commands with a token. */
final class TokensCommandTest {

    private static final Pattern ID = Pattern.compile("\"id\":\"([0-9a-f]{16})\"");
    private static final Pattern TEXT = Pattern.compile("\"token\":\"(tw_[^\"]{60})\"");

    @TempDir
    private Path directory;

    private RunningServer server;
    private CommandRun nobody;
    private CommandRun admin;

    @BeforeEach
    void start() {
        server = new RunningServer(Tokened.asking(ServerConfig.of("127.0.0.1", 0, directory.resolve("data"))));
        nobody = CommandRun.on("http://127.0.0.1:" + server.port());
        admin = nobody.with("TICKWHEEL_TOKEN", Tokened.ADMIN.reveal());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void theFirstTokenIsMadeWithoutAServer() throws IOException {
        Ended ended = CommandRun.inPipe().run("tokens", "generate");
        assertThat(ended.code()).isZero();
        String secret = found(TEXT, ended.output());
        String setting = found(Pattern.compile("\"access.admin\":\"([^\"]+)\""), ended.output());
        assertThat(setting).doesNotContain(secret.substring(20));
        Path file = Files.writeString(directory.resolve("t.yaml"), "access: {admin: '" + setting + "'}");
        ServerConfig config = ConfigFile.read(file, Map.of(), InstalledTargets.kinds());
        Token read = Objects.requireNonNull(config.edge().admin());
        assertThat(read.setting()).isEqualTo(setting);
        server.close();
        server = new RunningServer(
                ServerConfig.of("127.0.0.1", 0, directory.resolve("other")).withEdge(config.edge()));
        CommandRun first = CommandRun.on("http://127.0.0.1:" + server.port()).with("TICKWHEEL_TOKEN", secret);
        assertThat(first.run("queues", "list").code()).isZero();
    }

    @Test
    void theSettingIsPrintedAsItStandsInTheFile() throws IOException {
        Ended ended = CommandRun.inPipe().onTerminal().run("tokens", "generate");
        String[] parts = ended.output().split("\\R\\R", -1);
        assertThat(parts).hasSize(2);
        assertThat(parts[0]).matches("token: tw_[0-9a-f]{16}_[A-Za-z0-9_-]{43}");
        Path file = Files.writeString(directory.resolve("pasted.yaml"), parts[1]);
        Token read = Objects.requireNonNull(
                ConfigFile.read(file, Map.of(), InstalledTargets.kinds()).edge().admin());
        assertThat(parts[0]).contains(read.id());
        assertThat(ended.output()).doesNotContain("{");
    }

    @ParameterizedTest
    @ValueSource(strings = {"9223372036854775807ms", "PT9223372036854775807S"})
    void aTokenExpiresAtATimeThatCanBeWritten(String expiresIn) {
        Ended refused = admin.run("tokens", "create", "--name", "n", "--scope", "read", "--expires-in", expiresIn);
        assertThat(refused.code()).isEqualTo(2);
        assertThat(refused.error())
                .isEqualTo(
                        "tickwheel: --expires-in is \"" + expiresIn + "\", must be shorter" + System.lineSeparator());
    }

    @Test
    void aTokenIsMadeListedAndRevoked() throws IOException {
        Ended made = admin.run(
                "tokens",
                "create",
                "--name",
                "shop",
                "--scope",
                "read,schedule",
                "--queue-prefix",
                "shop-",
                "--expires-in",
                "90d",
                "--rate",
                "2.5",
                "--burst",
                "9");
        assertThat(made.output())
                .contains("\"rate\":{\"perSecond\":2.5,\"burst\":9}")
                .contains("\"scopes\":[\"schedule\",\"read\"]", "\"queuePrefix\":\"shop-\"", "\"expiresAt\"");
        String id = found(ID, made.output());
        String secret = found(TEXT, made.output());
        Path file = Files.writeString(directory.resolve("token"), secret + "\n");

        assertThat(nobody.run("queues", "list", "--token-file", file).code()).isZero();
        assertThat(nobody.with("TICKWHEEL_TOKEN_FILE", file.toString())
                        .run("queues", "list")
                        .code())
                .isZero();
        assertThat(nobody.run("queues", "list", "--token", secret).code()).isZero();
        assertThat(nobody.run("queues", "pause", "shop-eu", "--token-file", file)
                        .error())
                .contains("schedule, read, must have admin");
        assertThat(admin.run("tokens", "list").output()).contains(id).doesNotContain(secret);
        assertThat(admin.onTerminal().run("tokens", "list").output())
                .contains("QUEUEPREFIX", "RATE", id, "shop-", "{\"perSecond\":2.5,\"burst\":9}");

        assertThat(admin.run("tokens", "revoke", id).code()).isZero();
        Ended refused = nobody.run("queues", "list", "--token-file", file);
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.error()).contains("revoked").doesNotContain(secret.substring(20));
        assertThat(admin.run("tokens", "revoke", id).error()).contains(id);
    }

    @Test
    void whatIsNoTokenIsRefusedWithoutBeingShown() throws IOException {
        assertWrong(nobody.with("TICKWHEEL_TOKEN", "se cret"), "TICKWHEEL_TOKEN");
        assertWrong(nobody.with("TICKWHEEL_TOKEN", ""), "TICKWHEEL_TOKEN");
        assertWrong(nobody.with("TICKWHEEL_TOKEN", "a").with("TICKWHEEL_TOKEN_FILE", "b"), "at most one");
        Path two = Files.writeString(directory.resolve("two"), "secret\nsecret\n");
        Ended ended = nobody.run("queues", "list", "--token-file", two);
        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.error()).contains("--token-file").doesNotContain("secret");
        Ended none = nobody.run("queues", "list", "--token-file", directory.resolve("none"));
        assertThat(none.code()).isEqualTo(1);
        assertThat(none.error()).contains("none");
        assertThat(nobody.run("queues", "list").error()).contains("Authorization", "TICKWHEEL_TOKEN_FILE");
    }

    private static void assertWrong(CommandRun run, String named) {
        Ended ended = run.run("queues", "list");
        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.error()).contains(named).doesNotContain("se cret");
    }

    @Test
    void anExportIsImportedWithAToken() throws IOException {
        Path lines =
                Files.writeString(directory.resolve("lines"), "{\"key\":\"k\",\"dueAt\":\"2100-01-01T00:00:00Z\"}\n");
        assertThat(nobody.run("import", "--queue", "q", "--from", lines).code()).isNotZero();
        Ended imported = admin.run("import", "--queue", "q", "--from", lines);
        assertThat(imported.code()).as(imported.error()).isZero();
        assertThat(admin.run("timers", "show", "q", "k").output()).contains("2100");
    }

    @Test
    void commandsCallOverTls() throws IOException {
        TestIdentity shown = TestIdentity.make(directory, "shown");
        TestIdentity client = TestIdentity.make(directory, "client");
        server.close();
        TlsFiles files = new TlsFiles(shown.certificate(), shown.key(), client.certificate());
        ServerConfig config = Tokened.asking(ServerConfig.of("127.0.0.1", 0, directory.resolve("data")));
        server = new RunningServer(
                config.withEdge(new EdgeConfig(config.edge().admin(), false, files, false, false, null)));
        CommandRun run =
                CommandRun.on("https://localhost:" + server.port()).with("TICKWHEEL_TOKEN", Tokened.ADMIN.reveal());
        CommandRun known = run.with("TICKWHEEL_CA", shown.certificate().toString())
                .with("TICKWHEEL_CERT", client.certificate().toString());
        assertThat(known.with("TICKWHEEL_KEY", client.key().toString())
                        .run("queues", "list")
                        .code())
                .isZero();
        assertThat(run.run(
                                "queues",
                                "list",
                                "--ca",
                                shown.certificate(),
                                "--cert",
                                client.certificate(),
                                "--key",
                                client.key())
                        .code())
                .isZero();
        assertThat(run.run("queues", "list").code()).as("whom nobody trusts").isEqualTo(69);
        assertThat(known.run("queues", "list").error()).contains("--key is not there");
        assertThat(known.with("TICKWHEEL_KEY", shown.key().toString())
                        .run("queues", "list")
                        .error())
                .contains("another key");
    }

    private static String found(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        assertThat(matcher.find()).as("%s in %s", pattern, text).isTrue();
        return matcher.group(1);
    }
}
