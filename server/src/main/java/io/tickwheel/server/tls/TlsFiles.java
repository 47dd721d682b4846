package io.tickwheel.server.tls;

import io.vertx.core.http.ClientAuth;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.ServerSSLOptions;
import io.vertx.core.net.TrustOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where the certificate of a server lies. Immutable.
 *
 * @param certificate the file of its certificate, and of those that stand behind it
 * @param key the file of its key
 * @param clientCertificates the file of those who vouch for clients; null when clients show no certificates
 */
public record TlsFiles(Path certificate, Path key, @Nullable Path clientCertificates) {

    private static final Set<String> PROTOCOLS = new LinkedHashSet<>(List.of("TLSv1.3", "TLSv1.2"));

    /** Those that keep what was said before secret when a key is stolen, and say what was said unchanged. */
    private static final List<String> SUITES = List.of(
            "TLS_AES_128_GCM_SHA256",
            "TLS_AES_256_GCM_SHA384",
            "TLS_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

    /** The bytes of the files, as they were read. */
    static final class Contents {

        private final TlsFiles files;
        private final byte[] certificate;
        private final byte[] key;
        private final byte[] clientCertificates;

        private Contents(TlsFiles files, byte[] certificate, byte[] key, byte[] clientCertificates) {
            this.files = files;
            this.certificate = certificate;
            this.key = key;
            this.clientCertificates = clientCertificates;
        }

        boolean isSame(@Nullable Contents other) {
            return other != null
                    && Arrays.equals(certificate, other.certificate)
                    && Arrays.equals(key, other.key)
                    && Arrays.equals(clientCertificates, other.clientCertificates);
        }

        /** @throws IllegalArgumentException with the file and the rule, when one is not what it must be */
        Identity identity(Instant now) {
            return Identity.read(files.certificate.toString(), certificate, files.key.toString(), key, now);
        }

        /** @throws IllegalArgumentException with the file and the rule, when one is not what it must be */
        void apply(Identity identity, ServerSSLOptions options) {
            options.setKeyCertOptions(KeyCertOptions.wrap(identity.keys()));
            options.setEnabledSecureTransportProtocols(PROTOCOLS);
            SUITES.forEach(options::addEnabledCipherSuite);
            if (files.clientCertificates != null) {
                options.setTrustOptions(
                        TrustOptions.wrap(Identity.trusted(files.clientCertificates.toString(), clientCertificates)));
                options.setClientAuth(ClientAuth.REQUIRED);
            }
        }
    }

    Contents read() throws IOException {
        return new Contents(
                this,
                Files.readAllBytes(certificate),
                Files.readAllBytes(key),
                clientCertificates == null ? new byte[0] : Files.readAllBytes(clientCertificates));
    }
}
