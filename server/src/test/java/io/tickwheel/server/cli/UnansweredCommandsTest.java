package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that get no answer from their server, or none that says what it did: whether they may have had an effect, and how to repeat them. */
class UnansweredCommandsTest {

    /** Commands that change something, and how their message says to repeat them when their outcome is not known. */
    private static final String CHANGES = """
            timers cancel q k                     | look with 'timers show' before you repeat it
            timers put q k --in 1s                | look with 'timers show' before you repeat it
            timers run q k                        | look with 'timers show' before you repeat it
            timers reschedule q k --in 1s         | look with 'timers show' before you repeat it
            timers cancel-all q --prefix a        | look with 'bulk list' before you repeat it
            dead redrive q k                      | look with 'timers show' before you repeat it
            dead purge-all q --prefix a           | look with 'bulk list' before you repeat it
            bulk stop b                           | look with 'bulk list' before you repeat it
            queues set q rate=1                   | look with 'queues show' before you repeat it
            queues pause q                        | look with 'queues show' before you repeat it
            queues delete q                       | look with 'queues show' before you repeat it
            tokens create --name a --scope read   | look with 'tokens list' before you repeat it
            tokens revoke t                       | look with 'tokens list' before you repeat it
            leases take q                         | timers that were leased are due again once their leases have expired
            leases ack x                          | it is safe to repeat it: a lease that has ended is refused
            """;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock = CHANGES + "timers cancel-all q | \n dead redrive-all q |")
    void serverThatIsNotThereEndsWith69AndNothingWasDone(String command) throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        String address = "http://127.0.0.1:" + port;
        Ended ended = CommandRun.on(address).run((Object[]) command.split(" "));
        assertThat(ended.code()).isEqualTo(69);
        assertThat(ended.output()).isEmpty();
        assertThat(ended.error())
                .isEqualTo("tickwheel: " + address + " cannot be reached: there is no connection; nothing was done"
                        + System.lineSeparator());
    }

    private static HttpServer answering(HttpHandler handler) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", handler);
        server.start();
        return server;
    }

    private static Ended run(HttpServer server, String command) {
        return CommandRun.on("http://127.0.0.1:" + server.getAddress().getPort())
                .run((Object[]) command.split(" "));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = CHANGES)
    void serverThatBreaksOffEndsWith69AndHowToRepeatIsSaid(String command, String how) throws IOException {
        HttpServer silent = answering(exchange -> {
            throw new IOException("breaks off");
        });
        try {
            Ended ended = run(silent, command);
            assertThat(ended.code()).isEqualTo(69);
            assertThat(ended.error())
                    .contains("; whether it did what it was told is not known; ")
                    .endsWith(how + System.lineSeparator())
                    .doesNotContain("nothing was done");
            assertThat(run(silent, "queues list").error()).endsWith("; try again" + System.lineSeparator());
            assertThat(run(silent, "timers show q k").error()).endsWith("; try again" + System.lineSeparator());
            assertThat(run(silent, "timers cancel-all q").error())
                    .endsWith("; nothing was done" + System.lineSeparator());
        } finally {
            silent.stop(0);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            503 | {"detail":"a disk","applied":"unknown"} | true
            503 | {"detail":"a disk","applied":false}     | false
            504 | a proxy                                 | true
            404 | a proxy                                 | false
            """)
    void answerThatLeavesTheOutcomeOpenIsToldAsThat(int status, String body, boolean open) throws IOException {
        HttpServer unsure = answering(exchange -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        try {
            Ended ended = run(unsure, "timers cancel q k");
            assertThat(ended.code()).isEqualTo(1);
            assertThat(ended.error().contains("is not known; look with 'timers show'"))
                    .as(ended.error())
                    .isEqualTo(open);
        } finally {
            unsure.stop(0);
        }
    }

    /** Something may be set that must stay. */
    @ParameterizedTest
    @ValueSource(ints = {401, 429, 502, 503})
    void importSetsNothingOfAQueueThatItCannotLookAt(int status, @TempDir Path temp) throws IOException {
        Path file = Files.writeString(temp.resolve("lines"), "{\"queue\":\"q\",\"settings\":{}}\n");
        List<String> methods = new CopyOnWriteArrayList<>();
        HttpServer busy = answering(exchange -> {
            methods.add(exchange.getRequestMethod());
            byte[] answer = "{}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(methods.size() == 1 ? status : 200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        try {
            String address = "http://127.0.0.1:" + busy.getAddress().getPort();
            Ended ended = StoreCommands.run("import", "--server", address, "--from", file);
            assertThat(methods).containsExactly("GET");
            assertThat(ended.code()).isEqualTo(65);
            assertThat(ended.error()).startsWith("line 1: the server answers " + status + ": ");
        } finally {
            busy.stop(0);
        }
    }

    /** The settings of the queue are asked for and set first, then come the timers. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | what became of the lines that it was sent last is not known; the same import with --on-conflict keep",
                "2 | what became of the lines that it was sent last is not known; the same import with --on-conflict keep",
                "-1 | cannot be reached: there is no connection; nothing was done"
            })
    void importThatIsCutOffSaysHowToGoOn(int answered, String said, @TempDir Path temp) throws IOException {
        Path file = Files.writeString(
                temp.resolve("lines"),
                "{\"queue\":\"q\",\"settings\":{}}\n{\"queue\":\"q\",\"timer\":{\"key\":\"k\",\"delay\":\"1h\"}}\n");
        AtomicInteger left = new AtomicInteger(answered);
        HttpServer cutOff = answering(exchange -> {
            if (left.getAndDecrement() <= 0) {
                throw new IOException("breaks off");
            }
            byte[] none = "{}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, none.length);
            exchange.getResponseBody().write(none);
            exchange.close();
        });
        String address = "http://127.0.0.1:" + cutOff.getAddress().getPort();
        if (answered < 0) {
            cutOff.stop(0);
        }
        try {
            Ended ended = StoreCommands.run("import", "--server", address, "--from", file);
            assertThat(ended.code()).isEqualTo(74);
            assertThat(ended.error())
                    .contains("cannot import: " + address, said)
                    .hasLineCount(1);
        } finally {
            cutOff.stop(0);
        }
    }
}
