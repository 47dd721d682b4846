package io.tickwheel.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.CertificateBuilder.Algorithm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import javax.net.ssl.X509KeyManager;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A certificate and its key are taken together, or not at all. */
final class IdentityTest {

    private static final byte[] NOTHING = {};

    @TempDir
    private static Path directory;

    private static TestIdentity ec;
    private static byte[] certificate;
    private static byte[] key;

    @BeforeAll
    static void make() throws IOException {
        ec = TestIdentity.make(directory, "ec");
        certificate = Files.readAllBytes(ec.certificate());
        key = Files.readAllBytes(ec.key());
    }

    private static Identity read(byte[] certificates, byte[] secret, Instant now) {
        return Identity.read("a.crt", certificates, "a.key", secret, now);
    }

    @ParameterizedTest
    @EnumSource(names = {"ecp256", "rsa2048", "ed25519"})
    void keysOfTheseAlgorithmsAreTaken(Algorithm algorithm) throws IOException {
        TestIdentity made = TestIdentity.make(directory, "of" + algorithm, builder -> builder.algorithm(algorithm));
        Instant now = Instant.now().plusSeconds(60);
        Identity identity = read(Files.readAllBytes(made.certificate()), Files.readAllBytes(made.key()), now);
        assertThat(identity.goodUntil()).isAfter(now);
        assertThat(identity.keys().getKeyManagers()).isNotEmpty();
        assertThatThrownBy(() -> read(certificate, Files.readAllBytes(made.key()), now))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("a.key", "a.crt", "another key");
    }

    @Test
    void aCertificateThatIsNotGoodNowIsRefused() {
        Instant now = Instant.now();
        assertThatThrownBy(() -> read(certificate, key, now.plus(Duration.ofDays(400))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("a.crt", "good now");
        assertThatThrownBy(() -> read(certificate, key, now.minus(Duration.ofDays(2))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("good now");
    }

    @Test
    void whatStandsBehindACertificateIsShownWithIt() throws IOException {
        // Whoever has the name of its issuer may stand behind it: who is trusted, clients find out.
        TestIdentity issuer = TestIdentity.make(Files.createDirectory(directory.resolve("issuer")), "ec");
        byte[] both = concatenated(certificate, Files.readAllBytes(issuer.certificate()));
        Identity identity = read(both, key, Instant.now().plusSeconds(60));
        assertThat(identity.keys().getKeyManagers())
                .singleElement()
                .isInstanceOfSatisfying(X509KeyManager.class, keys -> {
                    String alias = keys.getServerAliases("EC", null)[0];
                    assertThat(keys.getCertificateChain(alias)).hasSize(2);
                });
    }

    @Test
    void certificatesThatAreNoChainAreRefused() throws IOException {
        Instant now = Instant.now().plusSeconds(60);
        TestIdentity other = TestIdentity.make(directory, "other");
        for (byte[] second : new byte[][] {Files.readAllBytes(other.certificate()), certificate}) {
            assertThatThrownBy(() -> read(concatenated(certificate, second), key, now))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("a.crt", "no chain");
        }
    }

    private static byte[] concatenated(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    @Test
    void whatIsNotPemIsRefusedWithoutBeingShown() {
        Instant now = Instant.now();
        String secret = new String(key, StandardCharsets.US_ASCII);
        String middle = secret.substring(40, 60);
        byte[] broken = secret.replace(middle, "!secret!" + middle.substring(8)).getBytes(StandardCharsets.US_ASCII);
        byte[] old = secret.replace("PRIVATE KEY", "EC PRIVATE KEY").getBytes(StandardCharsets.US_ASCII);
        for (byte[] bad :
                new byte[][] {NOTHING, certificate, broken, old, "secret".getBytes(StandardCharsets.US_ASCII)}) {
            assertThatThrownBy(() -> read(certificate, bad, now))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a.key")
                    .hasMessageNotContaining("secret");
        }
        for (byte[] bad : new byte[][] {NOTHING, key, "x".getBytes(StandardCharsets.US_ASCII)}) {
            assertThatThrownBy(() -> read(bad, key, now))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a.crt");
            assertThatThrownBy(() -> Identity.trusted("ca.crt", bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("ca.crt");
        }
    }
}
