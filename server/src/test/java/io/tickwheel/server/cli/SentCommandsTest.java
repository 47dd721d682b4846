package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.tickwheel.engine.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What commands send to a server, by one that writes it down. */
final class SentCommandsTest {

    private static final String ANSWER = "{\"id\":\"b\",\"state\":\"%s\",\"matched\":5,\"changed\":5,\"passed\":0,"
            + "\"pending\":3,\"claimed\":4,\"dead\":5,\"leases\":[],\"timers\":[],\"bulkRuns\":[\"b1\",\"b2\"]}";

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> tokens = new CopyOnWriteArrayList<>();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            requests.add((exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body).strip());
            tokens.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            boolean isStart = exchange.getRequestURI().getPath().endsWith(":cancel");
            byte[] answer = ANSWER.formatted(isStart ? "RUNNING" : "DONE").getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private CommandRun here() {
        return CommandRun.on("http://127.0.0.1:" + server.getAddress().getPort());
    }

    private Ended run(String command) {
        return here().run((Object[]) command.split(" "));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            leases take q                                   | POST /v1/queues/q/leases {}
            leases take q --max 5 --wait 1s --ttl 2m        | POST /v1/queues/q/leases {"max":5,"wait":"1s","ttl":"2m"}
            leases ack x                                    | POST /v1/leases/x/ack
            leases nack x                                   | POST /v1/leases/x/nack {}
            leases nack x --delay 0s --reason no            | POST /v1/leases/x/nack {"delay":"0s","reason":"no"}
            leases extend x --ttl 1h                        | POST /v1/leases/x/extend {"ttl":"1h"}
            leases bury x --reason never                    | POST /v1/leases/x/bury {"reason":"never"}
            timers show q k                                 | GET /v1/queues/q/timers/k
            timers show q k --content                       | GET /v1/queues/q/timers/k?content=true
            timers put q k --in 5m --payload {"a":1}        | PUT /v1/queues/q/timers/k {"delay":"5m","payload":{"a":1}}
            timers put q k --in 1s --target log             | PUT /v1/queues/q/timers/k {"delay":"1s","target":{"log":{}}}
            timers run q k                                  | POST /v1/queues/q/timers/k/run
            timers reschedule q k --in 2h                   | POST /v1/queues/q/timers/k/reschedule {"delay":"2h"}
            timers put q k --at 1893456000000               | PUT /v1/queues/q/timers/k {"dueAt":1893456000000}
            timers reschedule q k --at 2030-01-01T00:00:00Z | POST /v1/queues/q/timers/k/reschedule {"dueAt":"2030-01-01T00:00:00Z"}
            timers list q --prefix a/b --from 2030-01-01T00:00:00Z --to 1893456000001 --limit 5 --cursor c \
            | GET /v1/queues/q/timers?keyPrefix=a%2Fb&dueFrom=2030-01-01T00%3A00%3A00Z&dueTo=1893456000001&limit=5&cursor=c
            dead purge-all q --prefix a --reason HTTP --rate 5 --dry-run \
            | POST /v1/queues/q/timers:purge?keyPrefix=a&reason=HTTP&perSecond=5&dryRun=true
            queues resume q --slow-start 2.5                | POST /v1/queues/q/resume?slowStart=2.5
            queues delete q --purge                         | DELETE /v1/queues/q?purge=true
            tokens create --name n --scope read,pull --queue-prefix a- --rate 2 \
            | POST /v1/tokens {"name":"n","scopes":["read","pull"],"queuePrefix":"a-","rate":{"perSecond":2}}
            timers cancel-all q --state CLAIMED             | POST /v1/queues/q/timers:cancel?state=CLAIMED
            timers cancel-all q --prefix a --state PENDING  | POST /v1/queues/q/timers:cancel?state=PENDING&keyPrefix=a
            """)
    void commandSendsWhatItWasTold(String command, String request) {
        Ended ended = run(command);
        assertThat(ended.code()).as(ended.error()).isZero();
        assertThat(requests).isNotEmpty();
        assertThat(requests.get(0)).isEqualTo(request);
    }

    /** A tenth of a second passes whenever somebody looks: each step is shown. */
    private static final class Hurrying implements Clock {
        private long nanos;

        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public synchronized long monoNanos() {
            nanos += 100_000_000;
            return nanos;
        }
    }

    /** Also what is claimed is cancelled. */
    @Test
    void cancelOfAllTellsHowManyThereAre() {
        Ended ended = here().onTerminal().with(new Hurrying(), nanos -> {}).run("timers", "cancel-all", "q");
        assertThat(ended.code()).as(ended.error()).isZero();
        assertThat(requests.subList(0, 2)).containsExactly("GET /v1/queues/q", "POST /v1/queues/q/timers:cancel");
        assertThat(ended.error()).contains("cancel-all: 5 of 7 timers");
    }

    /** One cancels, and the other purges what that has left. */
    @Test
    void bothRunsOfAPurgeAreFollowed() {
        Ended ended = run("queues delete q --purge");
        assertThat(ended.code()).as(ended.error()).isZero();
        assertThat(requests).containsExactly("DELETE /v1/queues/q?purge=true", "GET /v1/bulk/b1", "GET /v1/bulk/b2");
    }

    @Test
    void fileWithATokenHasFourThousandBytesAtMost(@TempDir Path folder) throws IOException {
        Path longest = Files.writeString(folder.resolve("longest"), "t".repeat(4_095) + "\n");
        assertThat(here().run("queues", "show", "q", "--token-file", longest).code())
                .isZero();
        Path longer = Files.writeString(folder.resolve("longer"), "t".repeat(4_096) + "\n");
        Ended refused = here().run("queues", "show", "q", "--token-file", longer);
        assertThat(refused.code()).isEqualTo(2);
        assertThat(refused.error()).contains("longer", "of at most 4096 bytes");
        assertThat(requests).hasSize(1);
    }

    @Test
    void tokenComesFromOnePlace(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), " of-a-file\n");
        CommandRun both = here().with("TICKWHEEL_TOKEN", "of-a-variable").with("TICKWHEEL_TOKEN_FILE", file.toString());
        Ended refused = both.run("queues", "show", "q");
        assertThat(refused.code()).isEqualTo(2);
        assertThat(refused.error()).contains("TICKWHEEL_TOKEN and TICKWHEEL_TOKEN_FILE are there, must be at most one");
        assertThat(requests).isEmpty();
        assertThat(both.run("queues", "show", "q", "--token", "said").code()).isZero();
        assertThat(both.run("queues", "show", "q", "--token-file", file).code()).isZero();
        assertThat(here().with("TICKWHEEL_TOKEN_FILE", file.toString())
                        .run("queues", "show", "q")
                        .code())
                .isZero();
        assertThat(run("queues show q").code()).isZero();
        assertThat(tokens).containsExactly("Bearer said", "Bearer of-a-file", "Bearer of-a-file", "null");
    }

    @Test
    void halfOfACertificateIsRefusedByWhatIsMissing(@TempDir Path folder) throws IOException {
        Path half = Files.writeString(folder.resolve("half.pem"), "half");
        assertThat(here().run("queues", "show", "q", "--cert", half).error())
                .contains("--key is not there, must be with --cert");
        assertThat(here().run("queues", "show", "q", "--key", half).error())
                .contains("--cert is not there, must be with --key");
        Ended option =
                here().with("TICKWHEEL_CA", folder.resolve("none").toString()).run("queues", "show", "q", "--ca", half);
        assertThat(option.error())
                .as("the option comes first")
                .contains("half.pem")
                .doesNotContain("none");
        assertThat(requests).isEmpty();
    }
}
