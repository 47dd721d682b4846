package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server whose heap is smaller than what its clients send at once. */
final class SmallHeapTest {

    private static final int CLIENTS = 48;

    /** An eighth of 96 MiB has room for 12 of nearly 1 MiB. */
    private static final int FITTING = 12;

    /** More than the heap, and what the network takes of them, have room for. */
    private static final int LEASED = 160;

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
        try (ServerProcess server = start()) {
            int port = server.port();
            Set<Socket> refused = ConcurrentHashMap.newKeySet();
            List<CompletableFuture<Integer>> statuses = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Socket client = begin(port, i);
                statuses.add(CompletableFuture.supplyAsync(() -> status(client, refused), readers));
                client.getOutputStream().write(BODY, 0, BODY.length - 1);
            }
            assertThat(Patience.look(refused::size, size -> size >= CLIENTS - FITTING))
                    .isBetween(CLIENTS - FITTING, CLIENTS - 1);
            for (Socket client : clients) {
                if (!refused.contains(client)) {
                    client.getOutputStream().write(BODY, BODY.length - 1, 1);
                }
            }
            assertThat(statuses.stream().map(CompletableFuture::join).toList()).containsOnly(503, 201);
            assertThat(server.printed()).doesNotContain("OutOfMemory", "ERROR");
            server.terminate();
            assertThat(server.ended()).isZero();
        }
    }

    @Test
    void contentsThatNobodyReadsAreRefusedAndNoMemoryRunsOut() throws Exception {
        try (ServerProcess server = start()) {
            int port = server.port();
            put(port, FITTING, "1h");
            List<Socket> unread = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                unread.add(ask(port, "GET /v1/queues/q/timers/k" + i % FITTING + "?content=true", ""));
            }
            for (Socket client : unread) {
                assertThat(status(client)).isIn(200, 503);
            }
            assertThat(server.printed()).doesNotContain("OutOfMemory", "ERROR");
            for (Socket client : unread) {
                client.close();
            }
            assertThat(status(ask(port, "GET /readyz", ""))).isEqualTo(200);
        }
    }

    /** What is refused is given back, and no attempt counts; of what is leased the server keeps no content. */
    @Test
    void leasesThatNobodyReadsAreGivenBackAndNoMemoryRunsOut() throws Exception {
        try (ServerProcess server = start()) {
            int port = server.port();
            put(port, LEASED, "0s");
            List<Socket> unread = new ArrayList<>();
            for (int i = 0; i < LEASED / 4; i++) {
                unread.add(ask(port, "POST /v1/queues/q/leases", "{\"max\":4,\"wait\":\"60s\",\"ttl\":\"1h\"}"));
            }
            int refused = 0;
            StringBuilder leases = new StringBuilder();
            for (Socket client : unread) {
                if (status(client) == 503) {
                    refused++;
                    client.close();
                }
            }
            assertThat(refused).isPositive();
            for (Socket client : unread) {
                if (!client.isClosed()) {
                    leases.append(rest(client));
                }
            }
            while (leased(leases) < LEASED) {
                Socket client = ask(port, "POST /v1/queues/q/leases", "{\"wait\":\"20s\",\"ttl\":\"1h\"}");
                assertThat(status(client)).isEqualTo(200);
                assertThat(leases.append(rest(client)))
                        .as("what was refused is due again")
                        .doesNotContain("\"leases\":[]");
            }
            assertThat(leased(leases)).isEqualTo(LEASED);
            assertThat(server.printed()).doesNotContain("OutOfMemory", "ERROR");
        }
    }

    /** How many timers are leased, each by its first attempt. */
    private static long leased(CharSequence answers) {
        assertThat(answers).doesNotContain("\"attempt\":2");
        return Pattern.compile("\"attempt\":1,").matcher(answers).results().count();
    }

    private ServerProcess start() throws IOException {
        String yaml = "server: {port: 0}\nstore: {file: {directory: data}}\n";
        return ServerProcess.start(directory, yaml, Map.of(), "-Xmx96m", "-XX:+ExitOnOutOfMemoryError");
    }

    private void put(int port, int timers, String delay) throws IOException {
        byte[] body = new String(BODY, StandardCharsets.US_ASCII)
                .replace("\"1h\"", '"' + delay + '"')
                .getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < timers; i++) {
            Socket client = begin(port, i, body.length);
            client.getOutputStream().write(body);
            assertThat(status(client)).isEqualTo(201);
            client.close();
        }
    }

    private Socket ask(int port, String call, String body) throws IOException {
        Socket client = new Socket();
        clients.add(client);
        // So that the network takes little of what nobody reads.
        client.setReceiveBufferSize(4_096);
        client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        client.setSoTimeout(60_000);
        String head = " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
        String content = "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n";
        client.getOutputStream()
                .write((call + head + (body.isEmpty() ? "" : content) + "\r\n" + body)
                        .getBytes(StandardCharsets.US_ASCII));
        return client;
    }

    private static int status(Socket client) {
        return status(client, new HashSet<>());
    }

    /** The answer but for its payloads, which have nothing but one letter. */
    private static String rest(Socket client) throws IOException {
        return new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).replace("x", "");
    }

    private Socket begin(int port, int number) throws IOException {
        return begin(port, number, BODY.length);
    }

    private Socket begin(int port, int number, int length) throws IOException {
        Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
        clients.add(client);
        client.setSoTimeout(60_000);
        client.getOutputStream()
                .write(("PUT /v1/queues/q/timers/k" + number + " HTTP/1.1\r\nHost: x\r\n"
                                + "Content-Type: application/json\r\nContent-Length: " + length + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        return client;
    }

    private static int status(Socket client, Set<Socket> refused) {
        try {
            byte[] line = client.getInputStream().readNBytes("HTTP/1.1 200".length());
            int status = Integer.parseInt(new String(line, 9, 3, StandardCharsets.US_ASCII));
            if (status == 503) {
                refused.add(client);
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
