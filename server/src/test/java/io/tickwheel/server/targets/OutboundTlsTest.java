package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.tickwheel.engine.Clock;
import io.tickwheel.server.ReceiversHere;
import io.tickwheel.server.tls.Identity;
import io.tickwheel.server.tls.TestIdentity;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a receiver must show that is called by https. Its certificate is for {@code localhost} and {@code 127.0.0.1}. */
final class OutboundTlsTest {

    private static final String TRUSTED = "javax.net.ssl.trustStore";
    private static final String PASSWORD_OF_TRUSTED = "javax.net.ssl.trustStorePassword";
    private static final String PASSWORD = "password";

    @TempDir
    private Path directory;

    private final AtomicInteger requests = new AtomicInteger();
    private Vertx vertx;
    private HttpsServer receiver;
    private Path certificate;
    private String trustedBefore;
    private String passwordBefore;

    @BeforeEach
    void start() throws IOException {
        vertx = Vertx.vertx();
        trustedBefore = System.getProperty(TRUSTED);
        passwordBefore = System.getProperty(PASSWORD_OF_TRUSTED);
        TestIdentity shown = TestIdentity.make(directory, "shown");
        certificate = shown.certificate();
        byte[] pem = Files.readAllBytes(certificate);
        Identity identity = Identity.read(
                "crt",
                pem,
                "key",
                Files.readAllBytes(shown.key()),
                Instant.now().plusSeconds(1));
        receiver = HttpsServer.create(new InetSocketAddress(0), 0);
        receiver.setHttpsConfigurator(new HttpsConfigurator(Identity.context(identity, Identity.trusted("crt", pem))));
        receiver.createContext("/", exchange -> {
            requests.incrementAndGet();
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        receiver.start();
    }

    @AfterEach
    void stop() {
        receiver.stop(0);
        vertx.close().toCompletionStage().toCompletableFuture().join();
        set(TRUSTED, trustedBefore);
        set(PASSWORD_OF_TRUSTED, passwordBefore);
    }

    private static void set(String property, String value) {
        if (value == null) {
            System.clearProperty(property);
        } else {
            System.setProperty(property, value);
        }
    }

    /** Has this JVM trust the certificate of the receiver, as an operator does. */
    private void trustReceiver() throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        try (InputStream in = Files.newInputStream(certificate)) {
            trusted.setCertificateEntry(
                    "it", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        Path store = directory.resolve("trusted.p12");
        try (OutputStream out = Files.newOutputStream(store)) {
            trusted.store(out, PASSWORD.toCharArray());
        }
        set(TRUSTED, store.toString());
        set(PASSWORD_OF_TRUSTED, PASSWORD);
    }

    private String call(String host) throws Exception {
        HttpTarget target = new HttpTarget(
                vertx, vertx.getOrCreateContext(), Clock.system(), HttpSettings.read(ReceiversHere.OPTIONS), 1);
        String url = "https://" + host + ":" + receiver.getAddress().getPort() + "/";
        return SentCallback.to(url, new byte[0], target)
                .get(30, TimeUnit.SECONDS)
                .replace(":" + receiver.getAddress().getPort(), "");
    }

    @Test
    void certificateThatNobodyVouchesForIsNotTaken() throws Exception {
        assertThat(call("localhost")).isEqualTo("unreachable: TLS with localhost failed");
        assertThat(requests).hasValue(0);
    }

    @Test
    void certificateThatIsTrustedIsTakenForItsHostAndNoOther() throws Exception {
        trustReceiver();
        assertThat(call("localhost")).isEqualTo("acknowledged");
        assertThat(call("127.0.0.1")).isEqualTo("acknowledged");
        assertThat(call("127.0.0.2")).isEqualTo("unreachable: TLS with 127.0.0.2 failed");
        assertThat(requests).hasValue(2);
    }
}
