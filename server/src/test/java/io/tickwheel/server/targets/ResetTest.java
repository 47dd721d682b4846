package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.tickwheel.engine.Clock;
import io.tickwheel.server.LoggedEvents;
import io.tickwheel.server.ReceiversHere;
import io.tickwheel.server.RunningServer;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that reset a connection: that is their affair, and no error of this server. */
final class ResetTest {

    private static final byte[] NO_ANSWER = {};

    private final Vertx vertx = Vertx.vertx();
    private final LoggedEvents logged = new LoggedEvents();

    @AfterEach
    void nothingWasLoggedAboutIt() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
        logged.close();
        assertThat(logged.messages(Level.WARN)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "HTTP/1.1 20", "HTTP/1.1 200 OK\r\nContent-Le", "\u0000\u0001\r\n\r\n"})
    void aReceiverThatResetsFailsTheAttemptAndIsNamed(String answer) throws Exception {
        try (ServerSocket receiver = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<String> outcome = deliver(receiver.getLocalPort());
            try (Socket socket = receiver.accept()) {
                assertThat(socket.getInputStream().read()).isEqualTo('P');
                reset(socket, answer.getBytes(StandardCharsets.US_ASCII));
            }
            assertThat(outcome.get(20, TimeUnit.SECONDS))
                    .isEqualTo("unreachable: the connection to 127.0.0.1:" + receiver.getLocalPort() + " broke");
        }
    }

    @Test
    void aReceiverThatResetsWithinItsAnswerHasGivenItsStatus() throws Exception {
        try (ServerSocket receiver = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<String> outcome = deliver(receiver.getLocalPort());
            try (Socket socket = receiver.accept()) {
                assertThat(socket.getInputStream().read()).isEqualTo('P');
                socket.getOutputStream()
                        .write("HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\nabc".getBytes(StandardCharsets.US_ASCII));
                reset(socket, NO_ANSWER);
            }
            assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo("failed: HTTP 500");
        }
    }

    @Test
    void ofAnAnswerWithoutEndTheStatusCountsAndTheRestIsNotRead() throws Exception {
        try (ServerSocket receiver = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<String> outcome = deliver(receiver.getLocalPort());
            try (Socket socket = receiver.accept()) {
                assertThat(socket.getInputStream().read()).isEqualTo('P');
                OutputStream out = socket.getOutputStream();
                assertThatThrownBy(() -> {
                            out.write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                            // More than the buffers of the system take.
                            for (int mebibytes = 0; mebibytes < 64; mebibytes++) {
                                out.write(new byte[1 << 20]);
                            }
                        })
                        .isInstanceOf(IOException.class);
            }
            assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo("acknowledged");
        }
    }

    @Test
    void noRequestFollowsAPayloadThatWasAnsweredBeforeItsEnd() throws Exception {
        try (ServerSocket receiver = new ServerSocket()) {
            receiver.setReceiveBufferSize(4_096);
            receiver.setSoTimeout(60_000);
            receiver.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            HttpTarget target = target();
            CompletableFuture<String> large = deliver(target, receiver.getLocalPort(), new byte[64 << 20]);
            try (Socket first = receiver.accept()) {
                assertThat(first.getInputStream().read()).isEqualTo('P');
                first.getOutputStream().write(answer("413 No"));
                assertThat(large.get(20, TimeUnit.SECONDS)).isEqualTo("failed: HTTP 413");
                CompletableFuture<String> small = deliver(target, receiver.getLocalPort(), new byte[] {'x'});
                try (Socket second = receiver.accept()) {
                    second.getOutputStream().write(answer("200 Yes"));
                    assertThat(small.get(20, TimeUnit.SECONDS)).isEqualTo("acknowledged");
                }
            }
        }
    }

    private static byte[] answer(String status) {
        return ("HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void aReceiverThatIsNotThereIsNamed() throws Exception {
        int port;
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = closed.getLocalPort();
        }
        assertThat(deliver(port).get(20, TimeUnit.SECONDS))
                .isEqualTo("unreachable: no connection to 127.0.0.1:" + port);
    }

    @Test
    void aReceiverThatResetsAKeptConnectionFailsNothing() throws Exception {
        try (ServerSocket receiver = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<String> outcome = deliver(receiver.getLocalPort());
            try (Socket socket = receiver.accept()) {
                assertThat(socket.getInputStream().read()).isEqualTo('P');
                socket.getOutputStream().write("HTTP/1.1 204 No\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(outcome.get(20, TimeUnit.SECONDS)).isEqualTo("acknowledged");
                logged.debug(Connector.class);
                reset(socket, NO_ANSWER);
                logged.await("the connection to 127.0.0.1:" + receiver.getLocalPort() + " broke: ");
            }
        }
    }

    @Test
    void clientsThatResetAreNotTalkedAbout(@TempDir Path directory) throws Exception {
        String put = "PUT /v1/queues/q/timers/k HTTP/1.1\r\nHost: x\r\n";
        try (RunningServer server = new RunningServer(directory)) {
            for (String request : List.of(
                    "",
                    "GET /livez HTTP/1.1\r\nHo",
                    "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n",
                    "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\nGET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
                    put + "Content-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"delay\"",
                    put + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\ne\r\n{\"delay\"",
                    put + "Content-Type: text/plain\r\nContent-Length: 14\r\n\r\n{\"delay\"",
                    "GET /livez\r\n\r\n")) {
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
                    reset(socket, request.getBytes(StandardCharsets.US_ASCII));
                }
                assertThat(server.get("/livez").status()).isEqualTo(200);
            }
        }
    }

    private HttpTarget target() {
        return new HttpTarget(
                vertx, vertx.getOrCreateContext(), Clock.system(), HttpSettings.read(ReceiversHere.OPTIONS), 1);
    }

    private CompletableFuture<String> deliver(int port) {
        return deliver(target(), port, new byte[] {'x'});
    }

    private static CompletableFuture<String> deliver(HttpTarget target, int port, byte[] payload) {
        return SentCallback.to("http://127.0.0.1:" + port + "/", payload, target);
    }

    private static void reset(Socket socket, byte[] before) throws IOException {
        socket.getOutputStream().write(before);
        socket.setSoLinger(true, 0);
        socket.close();
    }
}
