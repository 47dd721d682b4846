package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.tickwheel.engine.Clock;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.server.Receiver;
import io.tickwheel.server.RunningServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The commands on timers and dead timers of a running server, one by one and many at once. */
final class TimerCommandsTest extends ServerCommandScene {

    /** At one a second these take a minute, which no test waits for. */
    private static final String[] MANY =
            IntStream.range(0, 60).mapToObj(i -> "k" + i).toArray(String[]::new);

    @Test
    void timerIsPutAndShownAndRescheduledAndRunAndCancelled() throws Exception {
        try (Receiver own = new Receiver()) {
            Path payload = Files.writeString(temp.resolve("payload.json"), "{\"id\": 42, \"n\": \"\u00e9\"}");
            Ended put = done(
                    "timers",
                    "put",
                    "one",
                    "a/b c",
                    "--in",
                    "2h",
                    "--payload",
                    "@" + payload,
                    "--target",
                    own.url("/x"));
            assertThat(put.output()).contains("\"outcome\":\"CREATED\"", "\"key\":\"a/b c\"");
            assertThat(done("timers", "show", "one", "a/b c", "--content").output())
                    .contains("\"payload\":{\"id\": 42, \"n\": \"\\u00e9\"}", own.url("/x"));
            assertThat(done("timers", "show", "one", "a/b c").output()).doesNotContain("payload");
            assertThat(done("timers", "reschedule", "one", "a/b c", "--at", "2090-01-01T00:00:00Z")
                            .output())
                    .contains("\"dueAt\":\"2090-01-01T00:00:00.000Z\"");
            assertThat(done("timers", "reschedule", "one", "a/b c", "--at", "3786912000001")
                            .output())
                    .contains("\"dueAt\":\"2090-01-01T00:00:00.001Z\"");
            done("timers", "run", "one", "a/b c");
            Receiver.Arrival arrival = own.next();
            assertThat(arrival.body()).isEqualTo("{\"id\": 42, \"n\": \"\u00e9\"}");
            assertThat(arrival.uri()).isEqualTo("/x");
            done("timers", "put", "one", "next", "--in", "1h", "--payload", "[1]", "--target", "log");
            assertThat(done("timers", "cancel", "one", "next").output()).contains("\"outcome\":\"CANCELLED\"");
            assertThat(server.get("one", "next").field("state")).isEqualTo("CANCELLED");
        }
    }

    @Test
    void timersAreListedOverAllPagesUpToTheLimit() {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 1_500; i++) {
            lines.append(String.format("{\"key\":\"k%04d\",\"dueAt\":\"2090-01-01T00:00:00Z\"}%n", i));
        }
        assertThat(server.batch("many", lines.toString()).status()).isEqualTo(200);
        String all = done("timers", "list", "many", "--limit", "10000").output();
        assertThat(all.split("\"key\":", -1)).hasSize(1_501);
        assertThat(all).doesNotContain("\"next\"").endsWith("]}" + System.lineSeparator());
        Ended some = done("timers", "list", "many", "--limit", "1200");
        assertThat(some.output().split("\"key\":", -1)).hasSize(1_201);
        String next = some.output().replaceAll("(?s).*\"next\":\"([^\"]+)\".*", "$1");
        assertThat(done("timers", "list", "many", "--cursor", next, "--limit", "1000")
                        .output()
                        .split("\"key\":", -1))
                .hasSize(301);
        assertThat(done("timers", "list", "many", "--limit", "5", "--table").output())
                .startsWith("KEY ")
                .containsPattern("(?m)^k0000 +PENDING +2090-01-01T00:00:00.000Z +0$")
                .contains("there may be more: --cursor ");
        assertThat(done("timers", "list", "many", "--prefix", "k149", "--state", "PENDING")
                        .output()
                        .split("\"key\":", -1))
                .hasSize(11);
        assertThat(done("timers", "list", "many", "--to", "2089-01-01T00:00:00Z")
                        .output())
                .isEqualTo("{\"timers\":[]}" + System.lineSeparator());
        assertThat(done("timers", "list", "many", "--from", "2091-01-01T00:00:00Z")
                        .output())
                .isEqualTo("{\"timers\":[]}" + System.lineSeparator());
    }

    @Test
    void cancelAllStaysUntilItsRunHasEnded() {
        schedule("sweep", "a1", "a2", "b1");
        Ended dry = pipe.run("timers", "cancel-all", "sweep", "--prefix", "a", "--dry-run");
        assertThat(dry.code()).isZero();
        assertThat(dry.output()).contains("\"state\":\"DONE\"", "\"matched\":2,\"changed\":0", "\"dryRun\":true");
        assertThat(dry.error()).matches("cancel-all: bulk run [0-9a-z]+; it goes on when this command is cut off\\R");
        assertThat(pipe.run("timers", "cancel-all", "sweep", "--prefix", "a", "--state", "PENDING")
                        .output())
                .contains("\"state\":\"DONE\"", "\"matched\":2,\"changed\":2");
        assertThat(server.get("sweep", "a1").field("state")).isEqualTo("CANCELLED");
        assertThat(server.get("sweep", "b1").field("state")).isEqualTo("PENDING");
        assertThat(pipe.run("timers", "cancel-all", "sweep").output()).contains("\"changed\":1");
        assertThat(server.get("sweep", "b1").field("state")).isEqualTo("CANCELLED");
    }

    @Test
    void deadTimersAreListedAndCountedAndRedrivenAndPurged() {
        bury("grave", "a", "b", "c1", "c2", "d");
        assertThat(done("dead", "list", "grave", "--prefix", "c").output())
                .contains("\"key\":\"c1\"", "\"key\":\"c2\"", "\"reason\":\"HTTP 410\"")
                .doesNotContain("\"key\":\"a\"");
        assertThat(done("dead", "reasons", "grave").output())
                .contains("\"dead\":5,\"reasons\":[{\"reason\":\"HTTP 410\",\"count\":5}]");
        assertThat(done("dead", "reasons", "grave", "--table").output())
                .isEqualTo(String.format("COUNT  REASON%n5      HTTP 410%n"));
        assertThat(done("dead", "redrive", "grave", "a").output()).contains("\"outcome\":\"CHANGED\"");
        assertThat(server.await("grave", "a", reply -> reply.field("state").equals("COMPLETED"))
                        .status())
                .isEqualTo(200);
        assertThat(done("dead", "purge", "grave", "b").output()).contains("\"outcome\":\"CHANGED\"");
        assertThat(server.get("grave", "b").status()).isEqualTo(404);
        Ended redriven =
                pipe.run("dead", "redrive-all", "grave", "--prefix", "c", "--reason", "HTTP 4", "--rate", "100");
        assertThat(redriven.code()).isZero();
        assertThat(redriven.output()).contains("\"action\":\"redrive\"", "\"perSecond\":100", "\"changed\":2");
        assertThat(pipe.run("dead", "purge-all", "grave", "--reason", "HTTP 5").output())
                .contains("\"changed\":0");
        assertThat(pipe.run("dead", "purge-all", "grave").output()).contains("\"action\":\"purge\"", "\"changed\":1");
        assertThat(server.get("grave", "d").status()).isEqualTo(404);
    }

    @Test
    void bulkRunsAreListedAndShownAndStopped() {
        schedule("slow", MANY);
        String started = server.send("POST", "/v1/queues/slow/timers:cancel?perSecond=1", null, null)
                .field("id");
        assertThat(done("bulk", "list").output()).contains("\"id\":\"" + started + "\"");
        assertThat(done("bulk", "list", "--table").output()).containsPattern("(?m)^" + started + " +cancel +slow ");
        assertThat(done("bulk", "stop", started).output()).contains("\"id\":\"" + started + "\"");
        assertThat(Patience.look(() -> done("bulk", "show", started).output(), shown -> !shown.contains("\"RUNNING\"")))
                .contains("\"state\":\"STOPPED\"");
    }

    @Test
    void runThatIsStoppedEndsWith1AndNamesIt() {
        schedule("halted", MANY);
        CommandRun stopping = pipe.with(Clock.system(), nanos -> {
            String runs = server.get("/v1/bulk").body();
            String id = runs.replaceAll("(?s).*\"id\":\"([^\"]+)\"[^{}]*\"queue\":\"halted\".*", "$1");
            server.send("DELETE", "/v1/bulk/" + id, null, null);
        });
        Ended ended = stopping.run("timers", "cancel-all", "halted", "--rate", "1");
        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.output()).contains("\"state\":\"STOPPED\"");
        assertThat(ended.error()).containsPattern("tickwheel: bulk run [0-9a-z]+ is STOPPED, somebody stopped it");
    }

    @Test
    void runWhoseServerGoesAwayEndsWith69AndNamesIt() {
        RunningServer leaving = new RunningServer(temp.resolve("leaving"));
        String address = "http://127.0.0.1:" + leaving.port();
        for (String key : MANY) {
            leaving.put("q", key, "{\"delay\":\"1h\"}");
        }
        Ended ended = CommandRun.on(address)
                .with(Clock.system(), nanos -> leaving.close())
                .run("timers", "cancel-all", "q", "--rate", "1");
        assertThat(ended.code()).isEqualTo(69);
        assertThat(ended.output()).isEmpty();
        assertThat(ended.error())
                .containsPattern(
                        "tickwheel: bulk run [0-9a-z]+ is out of sight: " + address + " (cannot be reached|has)");
    }

    @Test
    void payloadThatIsNoTextOrNoFileIsRefused() throws IOException {
        Path broken = Files.write(temp.resolve("latin1.json"), "\"\u00e9\"".getBytes(StandardCharsets.ISO_8859_1));
        Ended text = pipe.run("timers", "put", "q", "k", "--in", "1h", "--payload", "@" + broken);
        assertThat(text.code()).isEqualTo(2);
        assertThat(text.error()).contains("must be JSON in UTF-8");
        Ended file = pipe.run("timers", "put", "q", "k", "--in", "1h", "--payload", "@" + temp.resolve("none"));
        assertThat(file.code()).isEqualTo(74);
        assertThat(file.error())
                .isEqualTo(
                        "tickwheel: --payload: " + temp.resolve("none") + " cannot be read: there is no such file\n");
        Ended folder = pipe.run("timers", "put", "q", "k", "--in", "1h", "--payload", "@" + temp);
        assertThat(folder.code()).isEqualTo(74);
        assertThat(folder.error()).contains(temp + " cannot be read: ").doesNotContain("Exception");
    }

    /** It goes on when there is a server again, or on another node: what stands before the servers leads the next look there. */
    @Test
    void bulkRunThatIsSuspendedIsFollowed() throws IOException {
        String run = "{\"id\":\"b\",\"state\":\"%s\",\"matched\":1,\"changed\":1,\"passed\":0}";
        HttpServer closing = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        closing.createContext("/", exchange -> {
            boolean isStart = exchange.getRequestMethod().equals("POST");
            byte[] body = run.formatted(isStart ? "SUSPENDED" : "DONE").getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(isStart ? 202 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        closing.start();
        try {
            Ended command = CommandRun.on(
                            "http://127.0.0.1:" + closing.getAddress().getPort())
                    .with(Clock.system(), nanos -> {})
                    .run("timers", "cancel-all", "q", "--state", "PENDING");
            assertThat(command.code()).as(command.error()).isZero();
            assertThat(command.output()).contains("DONE");
        } finally {
            closing.stop(0);
        }
    }
}
