package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.server.Receiver;
import io.tickwheel.server.RunningServer;
import io.tickwheel.store.file.FileTimerStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands that call a running server: what they have it do, what they print, and how they end. */
final class ServerCommandsTest {

    /** At one a second these take a minute, which no test waits for. */
    private static final String[] MANY =
            IntStream.range(0, 60).mapToObj(i -> "k" + i).toArray(String[]::new);

    @TempDir
    private static Path temp;

    private static RunningServer server;
    private static Receiver receiver;
    private static CommandRun pipe;

    @BeforeAll
    static void start() {
        server = new RunningServer(temp.resolve("data"));
        receiver = new Receiver();
        pipe = CommandRun.on("http://127.0.0.1:" + server.port());
    }

    @AfterAll
    static void stop() {
        server.close();
        receiver.close();
    }

    private static Ended done(Object... arguments) {
        Ended ended = pipe.run(arguments);
        assertThat(ended.error()).isEmpty();
        assertThat(ended.code()).isZero();
        return ended;
    }

    private static void schedule(String queue, String... keys) {
        for (String key : keys) {
            server.put(queue, key, "{\"delay\":\"1h\"}");
        }
    }

    /** Timers that are dead: their receiver has answered 410. */
    private static void bury(String queue, String... keys) {
        for (String key : keys) {
            receiver.willAnswer(new Receiver.Answer(410));
            server.put(queue, key, "{\"delay\":\"0s\",\"target\":{\"url\":\"" + receiver.url("/gone") + "\"}}");
            assertThat(server.await(queue, key, reply -> reply.field("state").equals("DEAD"))
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void queueIsSetAndShownAndPausedAndResumedAndDeleted() {
        Ended set = done(
                "queues",
                "set",
                "set",
                "rate=0.5",
                "burst=7",
                "concurrency=3",
                "target=PUT http://shop:8080/close",
                "retry.maxAttempts=3",
                "retry.interval=2s",
                "delayLevels=1s,5s",
                "expireAfter=1m",
                "excerpts=true");
        assertThat(set.output())
                .contains("\"settings\":{\"target\":{\"url\":\"http://shop:8080/close\",\"method\":\"PUT\"},"
                        + "\"retry\":{\"maxAttempts\":3,\"interval\":\"2000ms\"},"
                        + "\"rate\":{\"perSecond\":0.5,\"burst\":7},\"concurrency\":3,"
                        + "\"delayLevels\":[\"1000ms\",\"5000ms\"],\"expireAfter\":\"60000ms\",\"excerpts\":true}");
        assertThat(done("queues", "show", "set").output())
                .isEqualTo(server.get("/v1/queues/set").body() + System.lineSeparator());
        done("queues", "set", "set", "rate=", "retry=", "target=log", "delayLevels=");
        assertThat(server.get("/v1/queues/set").body())
                .contains(
                        "\"settings\":{\"target\":{\"log\":{}},\"concurrency\":3,\"expireAfter\":\"60000ms\",\"excerpts\":true}");
        done("queues", "pause", "set");
        assertThat(server.get("/v1/queues/set").body())
                .contains("\"effective\":{")
                .contains("\"paused\":true");
        done("queues", "resume", "set", "--slow-start", "50");
        assertThat(server.get("/v1/queues/set").body()).contains("\"slowStart\":{\"perSecond\":50.0");
        assertThat(done("queues", "delete", "set").output()).contains("\"outcome\":\"DELETED\"");
    }

    @Test
    void queueWithTimersIsDeletedOnlyWhenTheyAreToBePurged() {
        schedule("full", "a", "b");
        Ended refused = pipe.run("queues", "delete", "full");
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.error())
                .isEqualTo("tickwheel: queue full has 2 timers, must have none to be deleted, or purge=true must be"
                        + " said" + System.lineSeparator());
        Ended purged = pipe.run("queues", "delete", "full", "--purge");
        assertThat(purged.code()).isZero();
        assertThat(purged.output()).contains("\"outcome\":\"PURGING\"");
        assertThat(server.get("full", "a").field("state")).isEqualTo("CANCELLED");
        assertThat(server.get("full", "b").field("state")).isEqualTo("CANCELLED");
    }

    @Test
    void queuesAreListedAsTheServerDoesOrAsATable() {
        schedule("listed", "a", "b", "c");
        assertThat(done("queues", "list").output())
                .startsWith("{\"queues\":[{\"name\":")
                .contains("\"name\":\"listed\",\"pending\":3,");
        assertThat(done("queues", "list", "--table").output())
                .startsWith("NAME ")
                .containsPattern("(?m)^listed +3 +0 +0$");
        assertThat(pipe.onTerminal().run("queues", "list").output()).startsWith("NAME ");
        assertThat(pipe.onTerminal().run("queues", "list", "--json").output()).startsWith("{\"queues\":");
    }

    @Test
    void queuesAreListedOverAllPages() {
        Path data = temp.resolve("queues");
        try (Tickwheel timers = Tickwheel.open(FileTimerStore.in(data))) {
            List<CompletableFuture<?>> scheduled = new ArrayList<>();
            for (int i = 0; i < 1_001; i++) {
                scheduled.add(timers.schedule("q" + i, "k", Duration.ofHours(1), new byte[0]));
            }
            scheduled.forEach(CompletableFuture::join);
        }
        try (RunningServer crowded = new RunningServer(data)) {
            assertThat(crowded.get("/v1/queues").body()).contains("\"next\":");
            Ended all = CommandRun.on("http://127.0.0.1:" + crowded.port()).run("queues", "list");
            assertThat(all.output().split("\"name\":", -1)).hasSize(1_002);
            assertThat(all.output()).doesNotContain("\"next\"");
        }
    }

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
    void answerIsShownFieldByFieldOnATerminal() {
        schedule("shown", "a");
        assertThat(pipe.onTerminal().run("timers", "show", "shown", "a").output())
                .containsPattern("(?m)^queue +shown$")
                .containsPattern("(?m)^state +PENDING$");
        done("queues", "set", "shown", "rate=5");
        assertThat(pipe.onTerminal().run("queues", "show", "shown").output())
                .containsPattern("(?m)^settings.rate.perSecond +5.0$");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "timers cancel none at-all | no timer",
                "timers show none at-all | no timer",
                "timers run none at-all | no timer",
                "dead redrive none at-all | no timer",
                "queues show none | queue \"none\" has had no timer",
                "queues set x concurrency=0 | concurrency is 0, must be 1 to",
                "bulk show 12 | no bulk run has the id \"12\""
            })
    void refusalIsOneLineWithTheServersDetail(String command, String detail) {
        Ended ended = pipe.run((Object[]) command.split(" "));
        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.output()).isEmpty();
        assertThat(ended.error()).startsWith("tickwheel: ").contains(detail).hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "timers put q k | must have one of --in and --at",
                "timers put q k --in 1h --at 2090-01-01T00:00:00Z | must have one of --in and --at",
                "timers put q k --in soon | --in is \"soon\", must be a duration",
                "timers put q k --at tomorrow | --at is \"tomorrow\", must be RFC 3339",
                "timers put q k --at 1796000000 | --at is \"1796000000\", as milliseconds 1970",
                "timers reschedule q k | must have one of --in and --at",
                "timers put q k --in 1h --payload 1,2 | --payload is \"1,2\", must be JSON",
                "timers put q k --in 1h --payload {},\"target\":{\"log\":{}} | , must be JSON",
                "timers put q k --in 1h --payload {} --target ftp://x | --target is \"ftp://x\", must begin with http://",
                "timers list q --state SLEEPING | --state is \"SLEEPING\", must be PENDING, CLAIMED or DEAD",
                "timers list q --state pending | --state is \"pending\", must be PENDING, CLAIMED or DEAD",
                "timers cancel-all q --state DEAD | --state is \"DEAD\", must be PENDING or CLAIMED",
                "timers cancel-all q --prefix a --rate 0 | --rate is \"0\", must be 1 to 100000",
                "dead redrive-all q --rate 100001 | --rate is \"100001\", must be 1 to 100000",
                "queues resume q --slow-start fast | --slow-start is \"fast\", must be attempts a second, ",
                "queues resume q --slow-start 0 | --slow-start is \"0\", must be attempts a second, ",
                "leases take q --max 0 | --max is \"0\", must be 1 to 1000",
                "leases take q --max 1001 | --max is \"1001\", must be 1 to 1000",
                "leases take q --max many | --max is \"many\", must be an integer from 1 to 1000",
                "leases take q --wait long | --wait is \"long\", must be a duration",
                "leases take q --wait 61s | --wait is \"61s\", must be PT0S to PT1M",
                "leases take q --ttl 999ms | --ttl is \"999ms\", must be PT1S to PT1H",
                "leases extend x --ttl 2h | --ttl is \"2h\", must be PT1S to PT1H",
                "leases nack x --delay 31d | --delay is \"31d\", must be PT0S to PT720H",
                "timers list q --limit 0 | --limit is \"0\", must be 1 to 10000",
                "timers list q --from then | --from is \"then\", must be RFC 3339",
                "timers list q --to then | --to is \"then\", must be RFC 3339",
                "timers list q --json --table | --json and --table are there, must be at most one",
                "queues set q rate | \"rate\" has no '=', must be KEY=VALUE",
                "queues set q rat=1 | \"rat\" is no setting of a queue, must be",
                "queues set q rat= | \"rat\" is no setting of a queue, must be",
                "queues set q rate=fast | rate is \"fast\", must be a number",
                "queues set q paused=yes | paused is \"yes\", must be true or false",
                "queues set q burst=3 | burst is there, must be with rate only",
                "queues set q burst= | burst has no value, must have one; rate= clears all of it",
                "queues set q rate=1 rate=2 | rate is there twice",
                "queues set q retry= retry.backoff=1s | retry is set and cleared",
                "queues set q retry.backoff=1s retry= | retry is set and cleared",
                "queues set q target=ftp://x | target is \"ftp://x\", must begin with http://",
                "queues | Missing required subcommand",
                "queues set q | Missing required parameter",
                "timers cancel q | Missing required parameter"
            })
    void wrongUsageEndsWith2AndNamesValueAndRule(String command, String message) {
        Ended ended = pipe.run((Object[]) command.split(" "));
        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.output()).isEmpty();
        assertThat(ended.error()).contains(message);
        assertThat(server.get("/v1/queues").body()).doesNotContain("\"name\":\"q\"");
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

    @Test
    void fileThatIsNotThereIsToldInASentence() {
        Path none = temp.resolve("none");
        assertThat(pipe.run("queues", "set", "q", "secrets=@" + none).error())
                .isEqualTo("tickwheel: secrets: " + none + " cannot be read: there is no such file\n");
        assertThat(pipe.run("import", "--from", none).error())
                .isEqualTo("tickwheel: cannot import: " + none + ": there is no such file\n");
        assertThat(pipe.run("queues", "list", "--ca", none).error())
                .isEqualTo("tickwheel: cannot read " + none + ": there is no such file\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "127.0.0.1:7373", "http://", "http://x:99999", "http://u@x", "http://x?y", "http://x#y"})
    void addressThatIsNoneIsRefused(String address) {
        Ended ended = CommandRun.on(address).run("queues", "list");
        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.error())
                .startsWith("tickwheel: --server is \"" + address + "\", ")
                .hasLineCount(1);
        Ended variable = CommandRun.inPipe().with("TICKWHEEL_SERVER", address).run("queues", "list");
        assertThat(variable.code()).isEqualTo(2);
        assertThat(variable.error()).startsWith("tickwheel: TICKWHEEL_SERVER is \"" + address + "\", ");
    }

    @Test
    void serverComesFromTheEnvironmentUnlessItIsSaid() {
        String right = "http://127.0.0.1:" + server.port() + "/";
        assertThat(CommandRun.inPipe()
                        .with("TICKWHEEL_SERVER", right)
                        .run("queues", "list")
                        .code())
                .isZero();
        assertThat(CommandRun.inPipe()
                        .with("TICKWHEEL_SERVER", "http://127.0.0.1:1")
                        .run("--server", right, "queues", "list")
                        .code())
                .isEqualTo(2);
        assertThat(CommandRun.inPipe()
                        .with("TICKWHEEL_SERVER", "http://127.0.0.1:1")
                        .run("queues", "--server", right, "list")
                        .code())
                .isZero();
        assertThat(CommandRun.inPipe()
                        .with("TICKWHEEL_SERVER", "http://127.0.0.1:1")
                        .run("queues", "list")
                        .code())
                .isEqualTo(69);
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

    @Test
    void whatIsNoTickwheelServerIsTold() throws IOException {
        HttpServer other = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        other.createContext("/", exchange -> {
            int status = exchange.getRequestURI().getPath().endsWith("/bad") ? 502 : 200;
            exchange.sendResponseHeaders(status, 0);
            exchange.getResponseBody().write("<html>".getBytes(StandardCharsets.US_ASCII));
            exchange.close();
        });
        other.start();
        try {
            String address = "http://127.0.0.1:" + other.getAddress().getPort();
            Ended page = CommandRun.on(address).run("queues", "show", "good");
            assertThat(page.code()).isEqualTo(1);
            assertThat(page.error())
                    .isEqualTo("tickwheel: " + address + " answers with no JSON object, must be a Tickwheel server"
                            + System.lineSeparator());
            Ended proxy = CommandRun.on(address).run("queues", "show", "bad");
            assertThat(proxy.code()).isEqualTo(1);
            assertThat(proxy.error()).isEqualTo("tickwheel: " + address + " answers 502" + System.lineSeparator());
        } finally {
            other.stop(0);
        }
    }

    /** The ids of the leases that a poll has brought. */
    private static List<String> take(String queue, String... options) {
        List<String> arguments = new ArrayList<>(List.of("leases", "take", queue, "--wait", "10s"));
        arguments.addAll(List.of(options));
        String output = done(arguments.toArray()).output();
        return Pattern.compile("\"lease\":\"([^\"]+)\"")
                .matcher(output)
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    @Test
    void leasesAreTakenAndEndedInEachWay() {
        assertThat(done("leases", "take", "pulled").output()).isEqualTo("{\"leases\":[]}" + System.lineSeparator());
        for (String key : List.of("a", "b", "d")) {
            server.put("pulled", key, "{\"delay\":\"0s\"}");
        }
        List<String> leases = new ArrayList<>();
        for (int polls = 0; polls < 3 && leases.size() < 3; polls++) {
            leases.addAll(take("pulled", "--max", "3", "--ttl", "50m"));
        }
        assertThat(leases).hasSize(3);
        assertThat(done("leases", "extend", leases.get(0), "--ttl", "1h").output())
                .contains("\"lease\":\"" + leases.get(0) + "\"", "\"expiresAt\":");
        assertThat(done("leases", "ack", leases.get(0)).output()).contains(leases.get(0));
        done("leases", "nack", leases.get(1), "--delay", "2h", "--reason", "not now");
        done("leases", "bury", leases.get(2), "--reason", "never");
        assertThat(List.of("a", "b", "d"))
                .extracting(key -> server.get("pulled", key).field("state"))
                .containsExactlyInAnyOrder("COMPLETED", "PENDING", "DEAD");
        String reasons = server.get("pulled", "a").body()
                + server.get("pulled", "b").body()
                + server.get("pulled", "d").body();
        assertThat(reasons).contains("\"not now\"", "\"never\"");
        Ended again = pipe.run("leases", "ack", leases.get(0));
        assertThat(again.code()).isEqualTo(1);
        assertThat(again.error())
                .startsWith("tickwheel: lease " + leases.get(0) + " is not held: it has ended or expired");
    }

    @Test
    void leasesAreShownAsATable() {
        server.put("pulled-table", "k", "{\"delay\":\"0s\"}");
        assertThat(done("leases", "take", "pulled-table", "--wait", "10s", "--table")
                        .output())
                .startsWith("LEASE ")
                .containsPattern("(?m)^tmr_\\S+ +k +1 +");
    }

    @Test
    void wrongWordsForLeasesAreRefused() {
        assertThat(pipe.run("leases", "extend", "x").error()).contains("--ttl");
    }

    @Test
    void helpShowsTheCommands() {
        Ended help = CommandRun.inPipe().run("queues", "--help");
        assertThat(help.code()).isZero();
        assertThat(help.output()).contains("list", "show", "set", "pause", "resume", "delete", "--server");
        assertThat(CommandRun.inPipe().run("timers", "put", "--help").output())
                .contains("--in", "--at", "--payload", "--target", "--server", "TICKWHEEL_SERVER", "--table");
        assertThat(CommandRun.inPipe().run("--help").output())
                .contains("queues", "timers", "dead", "leases", "bulk", "69");
    }
}
