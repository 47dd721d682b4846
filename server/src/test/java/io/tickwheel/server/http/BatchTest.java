package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.RunningServer;
import io.tickwheel.server.RunningServer.Reply;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BatchTest {

    @TempDir
    private static Path directory;

    private static RunningServer server;

    @BeforeAll
    static void start() {
        server = new RunningServer(directory);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void goodLinesAreAcceptedAlthoughOthersAreBad() {
        Reply reply = server.batch("mixed", """
                {"key":"a","delay":"1h"}
                {"key":"b","delay":"soon"}
                not json

                {"delay":"1h"}\r
                {"cancel":"a"}
                {"cancel":"nobody"}
                {"cancel":"a","delay":"1h"}
                {"key":"","delay":"1h"}
                {"key":"c\\u0000","delay":"1h"}
                {"key":"c","delay":"9000000000000s"}
                {"key":"d","delay":"1h"}""");
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.contentType()).isEqualTo(RunningServer.NDJSON);
        Object[] codes = reply.body()
                .lines()
                .map(line -> Reply.of(line))
                .map(line -> line.field("line") + " " + line.field("status") + " " + line.field("code"))
                .toArray();
        assertThat(codes)
                .containsExactly(
                        "1 201 ",
                        "2 422 invalid_duration",
                        "3 400 malformed_json",
                        "5 201 ",
                        "6 200 ",
                        "7 404 not_found",
                        "8 400 field_not_allowed",
                        "9 422 invalid_key",
                        "10 422 invalid_key",
                        "11 422 out_of_range",
                        "12 201 ");
        assertThat(server.get("mixed", "a").field("state")).isEqualTo("CANCELLED");
        assertThat(server.get("mixed", "b").status()).isEqualTo(404);
        assertThat(server.get("mixed", "c").status()).isEqualTo(404);
        assertThat(server.get("mixed", "d").field("state")).isEqualTo("PENDING");
    }

    @Test
    void linesTakeEffectInTheirOrder() {
        Reply reply = server.batch("order", """
                {"key":"k","delay":"1h"}
                {"key":"k","delay":"2h"}
                {"key":"k","delay":"3h","onConflict":"fail"}
                {"cancel":"k"}
                {"key":"k","delay":"4h"}
                """);
        assertThat(reply.body().lines().map(line -> Reply.of(line).field("status")))
                .containsExactly("201", "200", "409", "200", "201");
    }

    @Test
    void tenThousandLinesAreAnsweredInOrder() {
        String lines = IntStream.range(0, 10_000)
                .mapToObj(i -> "{\"key\":\"k" + i + "\",\"delay\":\"1h\"}")
                .collect(Collectors.joining("\n", "", "\n"));
        Reply reply = server.batch("many", lines);
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.body().lines().map(line -> Reply.of(line).field("key")))
                .containsExactlyElementsOf(
                        IntStream.range(0, 10_000).mapToObj(i -> "k" + i).toList());
        assertThat(server.get("/v1/queues").body()).contains("{\"name\":\"many\",\"pending\":10000,");
    }

    @Test
    void anEmptyBatchHasAnEmptyAnswer() {
        Reply reply = server.batch("none", "\n\r\n \t\r\n\n");
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.body()).isEmpty();
    }

    @Test
    void aLineOverOneMebibyteIsRefusedAloneOfItsBatch() {
        String big = "{\"key\":\"big\",\"delay\":\"1h\",\"payload\":\"" + "a".repeat(1 << 20) + "\"}\n";
        Reply reply = server.batch("large", big + "{\"key\":\"small\",\"delay\":\"1h\"}\n");
        assertThat(reply.body().lines().map(line -> Reply.of(line).field("status")))
                .containsExactly("413", "201");
    }

    @Test
    void aLineOfOneMebibyteIsTaken() {
        String start = "{\"key\":\"k\",\"delay\":\"1h\",\"payload\":\"";
        String line = start + "a".repeat((1 << 20) - start.length() - 2) + "\"}";
        assertThat(line).hasSize(1 << 20);
        assertThat(server.batch("longest", line + "\n").field("status")).isEqualTo("201");
    }

    @Test
    void onlyNdjsonIsTaken() {
        Reply reply = server.send(
                "POST", "/v1/queues/q/timers:batch", RunningServer.JSON, "{\"key\":\"a\",\"delay\":\"1h\"}");
        assertThat(reply.status()).isEqualTo(415);
    }
}
