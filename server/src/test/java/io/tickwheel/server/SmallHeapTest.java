package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server whose heap is smaller than what its clients send at once. */
final class SmallHeapTest {

    private static final int CLIENTS = 48;

    /** An eighth of 96 MiB has room for 12 of nearly 1 MiB. */
    private static final int FITTING = 12;

    private static final byte[] BODY = body();

    @TempDir
    private Path directory;

    private final ExecutorService readers = Executors.newFixedThreadPool(CLIENTS);
    private final List<Socket> clients = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (Socket client : clients) {
            client.close();
        }
        readers.shutdown();
    }

    @Test
    void requestsAreRefusedAndNoMemoryRunsOut() throws Exception {
        String yaml = "server: {port: 0}\nstore: {file: {directory: data}}\n";
        try (ServerProcess server =
                ServerProcess.start(directory, yaml, Map.of(), "-Xmx96m", "-XX:+ExitOnOutOfMemoryError")) {
            int port = server.port();
            Semaphore refused = new Semaphore(0);
            List<CompletableFuture<Integer>> statuses = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Socket client = begin(port, i);
                statuses.add(CompletableFuture.supplyAsync(() -> status(client, refused), readers));
                client.getOutputStream().write(BODY, 0, BODY.length - 1);
            }
            assertThat(refused.tryAcquire(CLIENTS - FITTING, 60, TimeUnit.SECONDS))
                    .isTrue();
            for (int i = 0; i < CLIENTS; i++) {
                if (!statuses.get(i).isDone()) {
                    clients.get(i).getOutputStream().write(BODY, BODY.length - 1, 1);
                }
            }
            assertThat(statuses.stream().map(CompletableFuture::join).toList()).containsOnly(503, 201);
            assertThat(server.printed()).doesNotContain("OutOfMemory", "ERROR");
            server.terminate();
            assertThat(server.ended()).isZero();
        }
    }

    private Socket begin(int port, int number) throws IOException {
        Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
        clients.add(client);
        client.setSoTimeout(60_000);
        client.getOutputStream()
                .write(("PUT /v1/queues/q/timers/k" + number + " HTTP/1.1\r\nHost: x\r\n"
                                + "Content-Type: application/json\r\nContent-Length: " + BODY.length + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        return client;
    }

    private static int status(Socket client, Semaphore refused) {
        try {
            byte[] line = client.getInputStream().readNBytes("HTTP/1.1 200".length());
            int status = Integer.parseInt(new String(line, 9, 3, StandardCharsets.US_ASCII));
            if (status == 503) {
                refused.release();
            }
            return status;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] body() {
        byte[] letters = new byte[(1 << 20) - 100];
        Arrays.fill(letters, (byte) 'x');
        return ("{\"delay\":\"1h\",\"payload\":\"" + new String(letters, StandardCharsets.US_ASCII) + "\"}")
                .getBytes(StandardCharsets.US_ASCII);
    }
}
