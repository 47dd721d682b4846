package io.tickwheel.server.cli;

import io.tickwheel.server.config.SettingNames;
import io.tickwheel.server.config.StartException;
import io.tickwheel.server.tls.Identity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** How a command shows a server who it is. */
final class LoginArguments {

    private static final int LONGEST_FILE = 4_096;

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            scope = ScopeType.INHERIT,
            description = "The token, which others on this machine can see then; rather " + SettingNames.TOKEN
                    + " or --token-file.")
    private @Nullable String token;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "A file with the token (default: the variable " + SettingNames.TOKEN_FILE + ").")
    private @Nullable String file;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "PEM file of whom to trust for an https server (default: " + SettingNames.CA
                    + ", or whom the JVM trusts).")
    private @Nullable String ca;

    @Option(
            names = "--cert",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "PEM file of the certificate to show it (default: " + SettingNames.CERT + ").")
    private @Nullable String certificate;

    @Option(
            names = "--key",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "PEM file of its key, as PKCS #8 (default: " + SettingNames.KEY + ").")
    private @Nullable String key;

    private final Surroundings around;

    LoginArguments(Surroundings around) {
        this.around = around;
    }

    /** @throws StartException when there are two tokens, or a file cannot be read, or is not what it must be */
    Login login() {
        return token().over(tls());
    }

    private @Nullable SSLContext tls() {
        String trusted = given(ca, SettingNames.CA);
        String shown = given(certificate, SettingNames.CERT);
        String secret = given(key, SettingNames.KEY);
        if (trusted == null && shown == null && secret == null) {
            return null;
        }
        if ((shown == null) != (secret == null)) {
            throw ToolArguments.wrong((shown == null ? "--cert" : "--key") + " is not there, must be with "
                    + (shown == null ? "--key" : "--cert"));
        }
        try {
            Identity identity = shown == null || secret == null
                    ? null
                    : Identity.read(
                            shown,
                            bytes(shown),
                            secret,
                            bytes(secret),
                            around.clock().now());
            return Identity.context(identity, trusted == null ? null : Identity.trusted(trusted, bytes(trusted)));
        } catch (IllegalArgumentException e) {
            throw ToolArguments.wrong(String.valueOf(e.getMessage()));
        }
    }

    private @Nullable String given(@Nullable String option, String variable) {
        return option != null ? option : around.environment().get(variable);
    }

    private static byte[] bytes(String file) {
        Path path = ToolArguments.file("the file", file);
        try {
            return Files.readAllBytes(path);
        } catch (IOException e) {
            throw new StartException("cannot read " + path + ": " + ToolArguments.reason(e), e);
        }
    }

    private Login token() {
        if (token != null && file != null) {
            throw ToolArguments.wrong("--token and --token-file are there, must be at most one");
        }
        if (token != null) {
            return Login.with("--token", token);
        }
        if (file != null) {
            return read("--token-file", file);
        }
        Map<String, String> environment = around.environment();
        String variable = environment.get(SettingNames.TOKEN);
        String fileVariable = environment.get(SettingNames.TOKEN_FILE);
        if (variable != null && fileVariable != null) {
            throw ToolArguments.wrong(
                    SettingNames.TOKEN + " and " + SettingNames.TOKEN_FILE + " are there, must be at most one");
        }
        if (variable != null) {
            return Login.with(SettingNames.TOKEN, variable);
        }
        return fileVariable == null ? Login.NONE : read(SettingNames.TOKEN_FILE, fileVariable);
    }

    private static Login read(String name, String file) {
        Path path = ToolArguments.file(name, file);
        try {
            if (Files.size(path) > LONGEST_FILE) {
                throw ToolArguments.wrong(
                        name, file, "must be a file with a token, of at most " + LONGEST_FILE + " bytes");
            }
            return Login.with(
                    name, Files.readString(path, StandardCharsets.US_ASCII).strip());
        } catch (IOException e) {
            // Without its message: that may have what is in the file.
            throw new StartException("cannot read the token in " + path + ", which " + name + " names", e);
        }
    }
}
