package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.server.tls.Identity;
import io.tickwheel.server.tls.TestIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client of TLS 1.2 that asks for one handshake after the other on a connection, each of which costs the server more than the client. */
final class RenegotiationTest {

    @TempDir
    private Path directory;

    @Test
    void secondHandshakeOfAConnectionIsRefused() throws Exception {
        TestIdentity identity = TestIdentity.make(directory, "server");
        String yaml = "server: {port: 0}\ntls: {certificate: '" + identity.certificate() + "', key: '" + identity.key()
                + "'}\nstore: {file: {directory: '" + directory.resolve("data") + "'}}\n";
        try (ServerProcess server = ServerProcess.start(directory, yaml, Map.of(), "-Xmx128m")) {
            SSLContext context =
                    Identity.context(null, Identity.trusted("trusted", Files.readAllBytes(identity.certificate())));
            try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("localhost", server.port())) {
                socket.setEnabledProtocols(new String[] {"TLSv1.2"});
                socket.getOutputStream()
                        .write("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(socket.getInputStream().read()).isEqualTo('H');
                // What a slow machine makes of a start is not what this is about.
                int before = server.printed().length();
                // Not without an end where the server takes the handshake.
                socket.setSoTimeout(20_000);
                assertThatThrownBy(() -> renegotiate(socket)).isInstanceOf(SSLException.class);
                assertThat(ServerJvm.withoutStalls(server.printed().substring(before)))
                        .doesNotContain("WARN", "ERROR");
            }
        }
    }

    private static void renegotiate(SSLSocket socket) throws IOException {
        socket.startHandshake();
        // What the server makes of it comes behind its answer to the request.
        socket.getInputStream().readAllBytes();
    }
}
