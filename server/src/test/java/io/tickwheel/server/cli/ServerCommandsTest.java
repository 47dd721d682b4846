package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands that call a running server: what is the matter, when they cannot do what they are told. */
final class ServerCommandsTest extends ServerCommandScene {

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

    private static Ended runOnServerThatAnswers(String json, String command) throws IOException {
        HttpServer other = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        other.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(json.getBytes(StandardCharsets.US_ASCII));
            exchange.close();
        });
        other.start();
        try {
            return CommandRun.on("http://127.0.0.1:" + other.getAddress().getPort())
                    .run((Object[]) command.split(" "));
        } finally {
            other.stop(0);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "timers list q, timers",
        "dead list q, timers",
        "queues list, queues",
        "tokens list, tokens",
        "bulk list, runs"
    })
    void listThatIsNotThereIsNotAnEmptyOne(String command, String list) throws IOException {
        Ended ended = runOnServerThatAnswers("{}", command);
        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.output()).isEmpty();
        assertThat(ended.error())
                .endsWith(
                        " answers without a list of " + list + ", must be a Tickwheel server" + System.lineSeparator());
    }

    @Timeout(60)
    @ParameterizedTest
    @ValueSource(strings = {"timers list q", "queues list"})
    void listWhosePageLeadsToItselfEnds(String command) throws IOException {
        Ended ended = runOnServerThatAnswers("{\"timers\":[],\"queues\":[],\"next\":\"a\"}", command);
        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.output()).isEmpty();
        assertThat(ended.error())
                .endsWith(" answers with a page that leads to itself, must be a Tickwheel server"
                        + System.lineSeparator());
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
