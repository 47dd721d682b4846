package io.tickwheel.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.server.targets.InstalledTargets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that strangers reach asks who they are, and does not have them send tokens in the clear. */
final class EdgeConfigTest {

    private static final String HASH = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae";
    private static final String ADMIN = "access: {admin: '8f1d0c2b6a597e43:" + HASH + "'}\n";
    private static final String TLS = "tls: terminated-elsewhere\n";

    private static final String FILES = "tls: {certificate: a.crt, key: a.key}\n";

    @TempDir
    private Path directory;

    private ServerConfig read(String yaml) throws IOException {
        Path file = Files.writeString(directory.resolve("tickwheel.yaml"), yaml);
        return ConfigFile.read(file, Map.of(), InstalledTargets.kinds());
    }

    private void check(String host, String yaml) throws IOException {
        read("server: {host: '" + host + "'}\n" + yaml).edge().check(host);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.9.9.9", "::1", "0:0:0:0:0:0:0:1", "localhost"})
    void thisMachineNeedsNothing(String host) {
        assertThatCode(() -> check(host, "")).doesNotThrowAnyException();
    }

    @Test
    void oneAddressMayHaveHalfOfTheConnectionsUnlessToldOtherwise() throws IOException {
        assertThat(read("{}").edge().connectionsPerAddress()).isNull();
        assertThat(read("server: {connectionsPerAddress: 9000}").edge().connectionsPerAddress())
                .isEqualTo(9_000);
        for (String wrong : new String[] {"0", "-1", "1000001", "many", "1.5"}) {
            assertThatThrownBy(() -> read("server: {connectionsPerAddress: " + wrong + "}"))
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("server.connectionsPerAddress is \"" + wrong + "\"")
                    .hasMessageContaining(" 1 to 1000000");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "10.0.0.1", "192.168.1.1", "fd00::1", "127.example.invalid"})
    void strangersNeedTokensAndTls(String host) {
        assertRefused(host, "", "access.admin and TLS");
        assertRefused(host, TLS, "access.admin is not set");
        assertRefused(host, ADMIN, "TLS is not set");
        assertThatCode(() -> check(host, ADMIN + TLS)).doesNotThrowAnyException();
        assertThatCode(() -> check(host, ADMIN + FILES)).doesNotThrowAnyException();
        assertRefused(host, FILES, "access.admin is not set");
        assertThatCode(() -> check(host, "insecure: true")).doesNotThrowAnyException();
        assertRefused(host, "insecure: false", "access.admin and TLS");
    }

    private void assertRefused(String host, String yaml, String missing) {
        assertThatThrownBy(() -> check(host, yaml))
                .isInstanceOf(StartException.class)
                .hasMessageContainingAll(host, missing, "insecure");
    }

    @ParameterizedTest
    @CsvSource({
        "'access: {admin: secret}', a colon",
        "'access: {admin: \"secret:" + HASH + "\"}', id must have 16",
        "'access: {admin: \"8f1d0c2b6a597e43:secret\"}', 64 hexadecimal",
        "'access: {admin: \"8F1D0C2B6A597E43:" + HASH + "\"}', small letters",
        "'tls: elsewhere', must be terminated-elsewhere",
        "'tls: {certificate: a.crt}', tls.key is not set",
        "'tls: {key: a.key}', tls.certificate is not set",
        "'tls: {clientCertificates: c.crt}', tls.certificate is not set",
        "'audit: {of: changes}', audit.file is not set",
        "'audit: {fileBytes: 4096}', audit.file is not set",
        "'audit: {files: 3}', audit.file is not set",
        "'insecure: yes please', must be true or false",
        "'access: {openMetrics: 1}', must be true or false"
    })
    void whatBreaksARuleEndsTheStart(String yaml, String rule) {
        assertThatThrownBy(() -> read(yaml))
                .isInstanceOf(StartException.class)
                .hasMessageContaining(rule)
                .hasMessageNotContaining("secret");
    }

    @Test
    void variablesOfCommandsAreNoSettings() throws IOException {
        Path file = Files.writeString(directory.resolve("tickwheel.yaml"), "{}");
        Map<String, String> environment = Map.of(
                "TICKWHEEL_TOKEN", "t",
                "TICKWHEEL_TOKEN_FILE", "f",
                "TICKWHEEL_TLS", "terminated-elsewhere",
                "TICKWHEEL_ACCESS_OPEN_METRICS", "true");
        EdgeConfig edge =
                ConfigFile.read(file, environment, InstalledTargets.kinds()).edge();
        assertThat(edge).isEqualTo(new EdgeConfig(null, true, null, true, false, null));
    }
}
