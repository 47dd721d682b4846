package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tickwheel.engine.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An import into a server that takes only so many calls: it waits as long as the server says, on a clock moved by hand, and goes on. */
final class ImportRateTest {

    private static final String TOO_MANY = "{\"detail\":\"token t has made as many calls as it may\"}";

    @TempDir
    private Path temp;

    private Duration passed = Duration.ZERO;

    private final Clock clock = new Clock() {

        @Override
        public Instant now() {
            return Instant.parse("2030-01-01T00:00:00Z").plus(passed);
        }

        @Override
        public long monoNanos() {
            return passed.toNanos();
        }
    };

    private final List<Long> pauses = new CopyOnWriteArrayList<>();

    /** What calls are answered first, seconds or something else; those behind them are taken. */
    private final List<String> retryAfter = new CopyOnWriteArrayList<>();

    /** What they are answered. */
    private int status = 429;

    private String problem = TOO_MANY;

    private final List<Integer> lines = new CopyOnWriteArrayList<>();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void answer(HttpExchange call) throws IOException {
        byte[] body = call.getRequestBody().readAllBytes();
        if (!retryAfter.isEmpty()) {
            String wait = retryAfter.remove(0);
            if (!wait.isEmpty()) {
                call.getResponseHeaders().set("Retry-After", wait);
            }
            send(call, status, problem);
        } else if (call.getRequestMethod().equals("POST")) {
            int count = (int) new String(body, StandardCharsets.UTF_8).lines().count();
            lines.add(count);
            send(call, 200, "{\"status\":201}\n".repeat(count));
        } else {
            send(call, call.getRequestMethod().equals("GET") ? 404 : 200, "{}");
        }
    }

    private static void send(HttpExchange call, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        call.sendResponseHeaders(status, bytes.length);
        call.getResponseBody().write(bytes);
        call.close();
    }

    /** As a pause may, it ends sooner than it was asked for. */
    private void pause(long nanos) {
        pauses.add(nanos);
        passed = passed.plusNanos((nanos + 1) / 2);
    }

    private Ended imported(int timers, String... more) throws IOException {
        List<String> all = new ArrayList<>(List.of(more));
        for (int i = 0; i < timers; i++) {
            all.add("{\"queue\":\"q\",\"timer\":{\"key\":\"k" + i + "\",\"dueAt\":\"2100-01-01T00:00:00Z\"}}");
        }
        Path file = Files.write(temp.resolve("timers.ndjson"), all);
        return CommandRun.inPipe()
                .with(clock, this::pause)
                .run(
                        "import",
                        "--server",
                        "http://127.0.0.1:" + server.getAddress().getPort(),
                        "--from",
                        file);
    }

    @Test
    void everyLineComesOnceTheServerTakesItAgain() throws IOException {
        retryAfter.addAll(List.of("10", "3", "3"));
        Ended done = imported(2_500);
        assertThat(done.output()).startsWith("scheduled 2500, ").contains("refused 0");
        assertThat(done.code()).isZero();
        assertThat(lines).containsExactly(1_000, 1_000, 500);
        assertThat(passed).isEqualTo(Duration.ofSeconds(16));
        assertThat(done.error().lines())
                .containsExactly("the server answers 429: " + TOO_MANY + "; the import waits for 10 s and goes on");
    }

    @Test
    void settingsOfAQueueWaitToo() throws IOException {
        retryAfter.addAll(List.of("1", "2"));
        Ended done = imported(0, "{\"queue\":\"q\",\"settings\":{\"paused\":true}}");
        assertThat(done.output()).contains("refused 0, set 1 queues");
        assertThat(done.error().lines()).hasSize(2);
    }

    @Test
    void serverThatIsBusyIsWaitedForWhereItHasDoneNothing() throws IOException {
        status = 503;
        problem = "{\"code\":\"overloaded\",\"applied\":false}";
        retryAfter.addAll(List.of("1", "2"));
        Ended done = imported(2_500);
        assertThat(done.output()).startsWith("scheduled 2500, ").contains("refused 0");
        assertThat(done.code()).isZero();
        assertThat(lines).containsExactly(1_000, 1_000, 500);
    }

    @Test
    void batchThatMayHaveBeenDoneIsNotSentAgain() throws IOException {
        status = 503;
        problem = "{\"code\":\"storage_unavailable\",\"applied\":\"unknown\"}";
        retryAfter.addAll(List.of("1"));
        Ended done = imported(2_500);
        assertThat(done.output()).startsWith("scheduled 1500, ").contains("refused 1000");
        assertThat(pauses).isEmpty();
    }

    @Test
    void serverThatDoesNotSayForHowLongIsNotWaitedFor() throws IOException {
        retryAfter.addAll(List.of("", "0"));
        Ended done = imported(2_500);
        assertThat(done.output()).startsWith("scheduled 500, ").contains("refused 2000");
        assertThat(pauses).isEmpty();
    }
}
