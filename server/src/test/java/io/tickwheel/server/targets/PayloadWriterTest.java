package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Payloads on their way to a receiver that takes them as it likes. */
final class PayloadWriterTest {

    private static final int PIECE = PayloadWriter.PIECE_BYTES;

    /** Many times what the buffers of two sockets hold when the one that receives is small. */
    private static final int LARGE = 64 << 20;

    private final Vertx vertx = Vertx.vertx();
    private final Context loop = vertx.getOrCreateContext();
    private final HttpClientAgent client = vertx.createHttpClient();
    private ServerSocket receiver;

    @BeforeEach
    void listen() throws IOException {
        receiver = new ServerSocket();
        receiver.setReceiveBufferSize(4_096);
        receiver.setSoTimeout(20_000);
        receiver.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void close() throws IOException {
        receiver.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 1 << 20})
    void theReceiverGetsItAllWithItsLengthAhead(int bytes) throws Exception {
        byte[] payload = new byte[bytes];
        new SplittableRandom(3).nextBytes(payload);
        CompletableFuture<Integer> status = new CompletableFuture<>();
        PayloadWriter writer = writer(payload);
        loop.runOnContext(go -> writer.begin().onSuccess(answer -> status.complete(answer.statusCode())));
        try (Socket socket = receiver.accept()) {
            String head = head(socket.getInputStream());
            assertThat(head).contains("content-length: " + bytes + "\r\n").doesNotContain("transfer-encoding");
            assertThat(socket.getInputStream().readNBytes(bytes)).isEqualTo(payload);
            socket.getOutputStream().write("HTTP/1.1 204 No\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(status.get(20, TimeUnit.SECONDS)).isEqualTo(204);
            assertThat(writer.isDone()).isTrue();
        }
    }

    /** RFC 9110, section 8.6. */
    @Test
    void whoAsksForSomethingSaysNoLength() throws Exception {
        PayloadWriter writer = new PayloadWriter(request(HttpMethod.GET), new byte[0]);
        loop.runOnContext(go -> writer.begin());
        try (Socket socket = receiver.accept()) {
            assertThat(head(socket.getInputStream())).startsWith("GET / ").doesNotContain("content-length");
        }
    }

    @Test
    void aReceiverThatReadsSlowlyHoldsUpTheRest() throws Exception {
        PayloadWriter writer = writer(new byte[LARGE]);
        loop.runOnContext(go -> writer.begin());
        try (Socket socket = receiver.accept()) {
            InputStream in = socket.getInputStream();
            head(in);
            assertThat(onLoop(writer::written)).isBetween(PIECE, LARGE / 2);
            in.skipNBytes(LARGE / 4);
            assertThat(onLoop(writer::written)).isBetween(LARGE / 4, LARGE / 4 + LARGE / 2);
            int stoppedAt = onLoop(() -> {
                writer.stop();
                return writer.written();
            });
            in.skipNBytes(stoppedAt - LARGE / 4);
            assertThat(onLoop(writer::written)).isEqualTo(stoppedAt);
            assertThat(onLoop(writer::isDone)).isFalse();
        }
    }

    private PayloadWriter writer(byte[] payload) {
        return new PayloadWriter(request(HttpMethod.POST), payload);
    }

    private HttpClientRequest request(HttpMethod method) {
        CompletableFuture<HttpClientRequest> connected = new CompletableFuture<>();
        loop.runOnContext(go -> client.request(method, receiver.getLocalPort(), "127.0.0.1", "/")
                .onComplete(connected::complete, connected::completeExceptionally));
        return connected.join().exceptionHandler(broken -> {});
    }

    private <T> T onLoop(Supplier<T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        loop.runOnContext(go -> answer.complete(question.get()));
        return answer.join();
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.read());
        }
        return head.toString();
    }
}
