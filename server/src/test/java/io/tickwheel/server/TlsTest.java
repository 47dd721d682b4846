package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.netty.pkitesting.CertificateBuilder;
import io.tickwheel.engine.Clock;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.server.config.EdgeConfig;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.server.config.StartException;
import io.tickwheel.server.tls.Identity;
import io.tickwheel.server.tls.TestIdentity;
import io.tickwheel.server.tls.TlsFiles;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with a certificate, over real sockets. */
final class TlsTest {

    private static final String GET = "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

    @TempDir
    private Path directory;

    private TestIdentity first;
    private Path certificate;
    private Path key;

    @BeforeEach
    void make() throws IOException {
        first = TestIdentity.make(directory, "first");
        certificate = directory.resolve("server.crt");
        key = directory.resolve("server.key");
        use(first);
    }

    private void use(TestIdentity identity) throws IOException {
        Files.copy(identity.key(), key, StandardCopyOption.REPLACE_EXISTING);
        Files.copy(identity.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
    }

    private RunningServer start(Path clients) {
        return start(clients, Clock.system());
    }

    private RunningServer start(Path clients, Clock clock) {
        TlsFiles files = new TlsFiles(certificate, key, clients);
        ServerConfig config = ServerConfig.of("127.0.0.1", 0, directory.resolve("data"))
                .withEdge(new EdgeConfig(null, false, files, false, false, null));
        return new RunningServer(config, clock);
    }

    private static SSLSocket connect(RunningServer server, TestIdentity shown, TestIdentity... trusted)
            throws IOException {
        StringBuilder all = new StringBuilder();
        for (TestIdentity each : trusted) {
            all.append(Files.readString(each.certificate()));
        }
        Identity identity = shown == null
                ? null
                : Identity.read(
                        "crt",
                        Files.readAllBytes(shown.certificate()),
                        "key",
                        Files.readAllBytes(shown.key()),
                        Instant.now().plusSeconds(1));
        return (SSLSocket) Identity.context(
                        identity, Identity.trusted("trusted", all.toString().getBytes(StandardCharsets.US_ASCII)))
                .getSocketFactory()
                .createSocket("localhost", server.port());
    }

    private static String exchange(Socket socket, String request) throws IOException {
        try (socket) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String subject(RunningServer server, TestIdentity... trusted) {
        try (SSLSocket socket = connect(server, null, trusted)) {
            X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
            return shown.getSubjectX500Principal().getName();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void onlyTheNewProtocolsAreSpoken() throws IOException {
        try (RunningServer server = start(null)) {
            for (String protocol : new String[] {"TLSv1.3", "TLSv1.2"}) {
                SSLSocket socket = connect(server, null, first);
                socket.setEnabledProtocols(new String[] {protocol});
                assertThat(exchange(socket, GET)).startsWith("HTTP/1.1 200 ");
                assertThat(socket.getSession().getProtocol()).isEqualTo(protocol);
            }
            SSLSocket weak = connect(server, null, first);
            weak.setEnabledProtocols(new String[] {"TLSv1.2"});
            weak.setEnabledCipherSuites(new String[] {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256"});
            assertThatThrownBy(() -> exchange(weak, GET)).isInstanceOf(IOException.class);
            // The client of this Java speaks no older protocol: its first record, as a client of TLS 1.1 writes it.
            assertThat(oldHello(server))
                    .as("an alert, and no ServerHello")
                    .satisfies(bytes ->
                            assertThat(bytes.length == 0 || bytes[0] != 0x16).isTrue());
        }
    }

    private static byte[] oldHello(RunningServer server) throws IOException {
        byte[] hello = new byte[50];
        byte[] head = {0x16, 3, 1, 0, 45, 1, 0, 0, 41, 3, 2};
        System.arraycopy(head, 0, hello, 0, head.length);
        // After the random bytes: no session, one suite (TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA), no compression.
        byte[] tail = {0, 0, 2, (byte) 0xC0, 9, 1, 0};
        System.arraycopy(tail, 0, hello, head.length + 32, tail.length);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
                InputStream in = socket.getInputStream()) {
            socket.getOutputStream().write(hello);
            return in.readAllBytes();
        }
    }

    @Test
    void strangersWriteNoErrorsIntoTheLog() throws IOException {
        try (RunningServer server = start(null);
                LoggedEvents logged = new LoggedEvents()) {
            try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
                plain.getOutputStream().write(GET.getBytes(StandardCharsets.US_ASCII));
                assertThat(new String(plain.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
                        .doesNotContain("HTTP/1.1 200");
            }
            oldHello(server);
            TestIdentity other = TestIdentity.make(directory, "other");
            assertThatThrownBy(() -> exchange(connect(server, null, other), GET))
                    .isInstanceOf(SSLException.class);
            assertThat(exchange(connect(server, null, first), GET)).startsWith("HTTP/1.1 200 ");
            assertThat(logged.messages(Level.WARN)).isEmpty();
        }
    }

    @Test
    void handshakesThatAreNotDoneCountAmongTheConnectionsOfTheirAddress() throws IOException {
        EdgeConfig edge = new EdgeConfig(null, false, new TlsFiles(certificate, key, null), false, false, null, 2);
        ServerConfig config =
                ServerConfig.of("127.0.0.1", 0, directory.resolve("few")).withEdge(edge);
        try (RunningServer server = new RunningServer(config);
                Socket one = new Socket(InetAddress.getLoopbackAddress(), server.port());
                Socket two = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            one.getOutputStream().write(0x16);
            two.getOutputStream().write(0x16);
            // Their handshakes have an end, and so a third one would be served in the end: it is closed at once.
            assertThatThrownBy(() -> exchange(connect(server, null, first), GET))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    @Tag("full")
    void handshakesThatNeverEndAreCut() throws IOException {
        try (RunningServer server = start(null);
                Socket silent = new Socket(InetAddress.getLoopbackAddress(), server.port());
                Socket begun = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            begun.getOutputStream().write(new byte[] {0x16, 3, 1, 2, 0});
            for (Socket socket : new Socket[] {silent, begun}) {
                // Shorter than a connection may be idle: it is the handshake that has an end.
                socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(60));
                assertThat(socket.getInputStream().readAllBytes()).isEmpty();
            }
            assertThat(exchange(connect(server, null, first), GET)).startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void headsAreWatchedAsWithoutTls() throws IOException {
        try (RunningServer server = start(null)) {
            String answer = exchange(connect(server, null, first), "GET /livez HTTP/1.7\r\nHost: localhost\r\n\r\n");
            assertThat(answer).startsWith("HTTP/1.1 505 ").contains("http_version_not_supported");
        }
    }

    @Test
    void clientsShowACertificateWhereOneIsAskedFor() throws IOException {
        TestIdentity known = TestIdentity.make(directory, "known", CertificateBuilder::rsa2048);
        TestIdentity unknown = TestIdentity.make(directory, "unknown");
        try (RunningServer server = start(known.certificate())) {
            assertThat(exchange(connect(server, known, first), GET)).startsWith("HTTP/1.1 200 ");
            for (TestIdentity bad : new TestIdentity[] {null, unknown}) {
                assertThatThrownBy(() -> {
                            SSLSocket socket = connect(server, bad, first);
                            // With TLS 1.2 the refusal is part of the handshake; 1.3 tells it afterwards.
                            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
                            exchange(socket, GET);
                        })
                        .isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void newFilesAreShownWithoutAStart() throws IOException {
        TestIdentity second = TestIdentity.make(directory, "second", CertificateBuilder::rsa2048);
        try (RunningServer server = start(null);
                SSLSocket before = connect(server, null, first);
                LoggedEvents logged = new LoggedEvents()) {
            before.startHandshake();
            assertThat(subject(server, first, second)).isEqualTo("CN=first");
            use(second);
            assertThat(Patience.look(() -> subject(server, first, second), "CN=second"::equals))
                    .isEqualTo("CN=second");
            assertThat(exchange(before, GET)).startsWith("HTTP/1.1 200 ");

            Files.copy(first.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
            logged.await("the certificate stays as it is: " + key);
            assertThat(subject(server, first, second)).isEqualTo("CN=second");
            Files.delete(certificate);
            logged.await("the certificate cannot be read anew");
            assertThat(subject(server, first, second)).isEqualTo("CN=second");
            use(first);
            assertThat(Patience.look(() -> subject(server, first, second), "CN=first"::equals))
                    .isEqualTo("CN=first");
        }
    }

    @Test
    void aCertificateThatIsGoodLaterOnIsShownFromThenOn() throws IOException {
        Instant tomorrow = Instant.now().plus(Duration.ofDays(1));
        TestIdentity second = TestIdentity.make(
                directory, "second", made -> made.notBefore(tomorrow).notAfter(tomorrow.plus(Duration.ofDays(9))));
        SteppedClock clock = new SteppedClock();
        try (RunningServer server = start(null, clock);
                LoggedEvents logged = new LoggedEvents()) {
            use(second);
            logged.await("the certificate stays as it is: " + certificate + " is good from ");
            assertThat(subject(server, first, second)).isEqualTo("CN=first");
            clock.step(Duration.ofDays(2));
            assertThat(Patience.look(() -> subject(server, first, second), "CN=second"::equals))
                    .isEqualTo("CN=second");
        }
    }

    @Test
    void certificatesThatAreNoChainAreToldAndTheNextOnesAreShown() throws IOException {
        TestIdentity second = TestIdentity.make(directory, "second", CertificateBuilder::rsa2048);
        try (RunningServer server = start(null);
                LoggedEvents logged = new LoggedEvents()) {
            Files.writeString(
                    certificate, Files.readString(first.certificate()) + Files.readString(second.certificate()));
            logged.await("the certificate stays as it is: " + certificate + " has certificates that are no chain");
            use(second);
            assertThat(Patience.look(() -> subject(server, first, second), "CN=second"::equals))
                    .isEqualTo("CN=second");
        }
    }

    @Test
    void newAuthoritiesOfClientsAreAskedForWithoutAStart() throws IOException {
        TestIdentity known = TestIdentity.make(directory, "known", CertificateBuilder::rsa2048);
        TestIdentity other = TestIdentity.make(directory, "other");
        Path clients = Files.copy(known.certificate(), directory.resolve("clients.crt"));
        try (RunningServer server = start(clients)) {
            assertThat(exchange(connect(server, known, first), GET)).startsWith("HTTP/1.1 200 ");
            Files.copy(other.certificate(), clients, StandardCopyOption.REPLACE_EXISTING);
            assertThat(Patience.look(() -> answerTo(other, server), answer -> answer.startsWith("HTTP/1.1 200 ")))
                    .startsWith("HTTP/1.1 200 ");
        }
    }

    private String answerTo(TestIdentity client, RunningServer server) {
        try {
            return exchange(connect(server, client, first), GET);
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Test
    void eachTimeThatFilesAreNotWhatTheyMustBeIsTold() throws IOException {
        TestIdentity second = TestIdentity.make(directory, "second", CertificateBuilder::rsa2048);
        try (RunningServer server = start(null);
                LoggedEvents logged = new LoggedEvents()) {
            Files.copy(second.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
            awaitTold(1, " has another key than ", logged);
            Files.copy(second.key(), key, StandardCopyOption.REPLACE_EXISTING);
            logged.await("the server shows from now on the certificate");
            Files.copy(first.key(), key, StandardCopyOption.REPLACE_EXISTING);
            awaitTold(2, " has another key than ", logged);

            Files.delete(key);
            awaitTold(1, "cannot be read anew", logged);
            use(first);
            assertThat(Patience.look(() -> subject(server, first, second), "CN=first"::equals))
                    .isEqualTo("CN=first");
            Files.delete(key);
            awaitTold(2, "cannot be read anew", logged);
        }
    }

    private static void awaitTold(int times, String what, LoggedEvents logged) {
        assertThat(Patience.look(
                        () -> logged.messages(Level.ERROR).stream()
                                .filter(message -> message.contains(what))
                                .count(),
                        told -> told >= times))
                .isGreaterThanOrEqualTo(times);
    }

    @Test
    void filesThatAreNotWhatTheyMustBeEndTheStart() throws IOException {
        Files.writeString(key, "secret");
        assertThatThrownBy(() -> start(null))
                .hasCauseInstanceOf(StartException.class)
                .hasMessageContaining(key.toString())
                .hasMessageNotContaining("secret");
        for (String form : new String[] {"RSA", "EC"}) {
            Files.writeString(key, "-----BEGIN " + form + " PRIVATE KEY-----\n");
            assertThatThrownBy(() -> start(null)).hasMessageContaining("openssl pkcs8 -topk8 -nodes");
        }
        Files.delete(key);
        assertThatThrownBy(() -> start(null))
                .hasCauseInstanceOf(StartException.class)
                .hasMessageContaining("no such file")
                .hasMessageNotContaining("NoSuchFileException")
                .hasMessageContaining(key.toString());
    }
}
