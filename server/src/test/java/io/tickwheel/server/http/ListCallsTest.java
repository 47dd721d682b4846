package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.tickwheel.server.RunningServer;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.wire.Problem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class ListCallsTest {

    private static final String TIMERS = "/v1/queues/list/timers";

    @TempDir
    private static Path directory;

    private static RunningServer server;

    @BeforeAll
    static void start() {
        server = new RunningServer(directory);
        for (int i = 0; i < 10; i++) {
            String prefix = i % 2 == 0 ? "even%2F" : "odd%2B";
            server.put("list", prefix + i, "{\"dueAt\":\"2100-01-01T00:00:0" + i + "Z\"}");
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static List<String> keys(Reply reply) {
        assertThat(reply.status()).as(reply.body()).isEqualTo(200);
        assertThat(reply.contentType()).isEqualTo("application/json");
        List<String> keys = new ArrayList<>();
        Matcher matcher = Pattern.compile("\"key\":\"([^\"]*)\"").matcher(reply.body());
        while (matcher.find()) {
            keys.add(matcher.group(1));
        }
        return keys;
    }

    @Test
    void aTimerIsListedAsItIsFound() {
        Reply listed = server.get(TIMERS + "?limit=1000&keyPrefix=odd%2B3");
        assertThat(listed.body())
                .isEqualTo("{\"timers\":[" + server.get("list", "odd%2B3").body() + "]}");
    }

    @Test
    void pagesFollowOnEachOtherInTheOrderOfDueTime() {
        List<String> keys = new ArrayList<>();
        String path = TIMERS + "?limit=4";
        Reply page = server.get(path);
        while (!page.field("next").isEmpty()) {
            keys.addAll(keys(page));
            page = server.get(path + "&cursor=" + page.field("next"));
        }
        keys.addAll(keys(page));
        assertThat(keys)
                .containsExactly(
                        "even/0", "odd+1", "even/2", "odd+3", "even/4", "odd+5", "even/6", "odd+7", "even/8", "odd+9");
    }

    @Test
    void parametersChooseWhatIsListed() {
        assertThat(keys(server.get(TIMERS + "?keyPrefix=even/")))
                .containsExactly("even/0", "even/2", "even/4", "even/6", "even/8");
        assertThat(keys(server.get(TIMERS + "?dueFrom=2100-01-01T01:00:03+01:00&dueTo=2100-01-01T00:00:05.0001Z")))
                .containsExactly("odd+3", "even/4", "odd+5");
        assertThat(keys(server.get(TIMERS + "?dueFrom=4102444808000&state=PENDING")))
                .containsExactly("even/8", "odd+9");
        assertThat(keys(server.get(TIMERS + "?dueTo=4102444801000&state=PENDING")))
                .containsExactly("even/0");
        assertThat(keys(server.get(TIMERS + "?dueFrom=4102444801000&dueTo=4102444801000")))
                .isEmpty();
        assertThat(keys(server.get(TIMERS + "?state=DEAD"))).isEmpty();
        assertThat(keys(server.get("/v1/queues/nobody/timers"))).isEmpty();
    }

    @Test
    void theLoadSaysHowManyTimersComeDueWhen() {
        server.put("load", "soon", "{\"delay\":\"90s\"}");
        server.put("load", "later", "{\"delay\":\"90m\"}");
        Reply minutes = server.get("/v1/queues/load/load");
        assertThat(minutes.status()).isEqualTo(200);
        assertThat(minutes.body()).startsWith("{\"queue\":\"load\",\"from\":\"");
        assertThat(minutes.field("from")).endsWith(":00.000Z");
        assertThat(minutes.field("bucketMs")).isEqualTo("60000");
        assertThat(counts(minutes)).hasSize(60);
        assertThat(counts(minutes).stream().mapToLong(Long::longValue).sum()).isEqualTo(1);
        assertThat(counts(minutes).get(1) + counts(minutes).get(2)).isEqualTo(1);
        Reply days = server.get("/v1/queues/load/load?bucket=1d&buckets=2");
        assertThat(counts(days)).hasSize(2);
        assertThat(counts(days).get(0) + counts(days).get(1)).isEqualTo(2);
        assertThat(counts(server.get("/v1/queues/nobody/load?buckets=3"))).containsExactly(0L, 0L, 0L);
    }

    @Test
    void bucketsMayBeAsShortAsLongAndAsManyAsIsSaid() {
        assertThat(server.get("/v1/queues/load/load?bucket=1s&buckets=1").field("bucketMs"))
                .isEqualTo("1000");
        assertThat(server.get("/v1/queues/load/load?bucket=36500d&buckets=1").field("bucketMs"))
                .isEqualTo("3153600000000");
        assertThat(counts(server.get("/v1/queues/load/load?buckets=1440"))).hasSize(1_440);
    }

    private static List<Long> counts(Reply reply) {
        Matcher matcher = Pattern.compile("\"counts\":\\[([0-9,]*)]}$").matcher(reply.body());
        assertThat(matcher.find()).as(reply.body()).isTrue();
        return Stream.of(matcher.group(1).split(",")).map(Long::valueOf).toList();
    }

    static Stream<Arguments> refused() {
        String timers = "/v1/queues/q/timers?";
        String load = "/v1/queues/q/load?";
        return Stream.of(
                arguments(timers + "states=DEAD", 400, "unknown_parameter", "states"),
                arguments(timers + "bucket=1m", 400, "unknown_parameter", "bucket"),
                arguments(timers + "limit=1&limit=1", 400, "duplicate_parameter", "limit"),
                arguments(timers + "limit", 400, "malformed_query", "limit"),
                arguments(timers + "keyPrefix=%ED%A0%80", 400, "malformed_query", "keyPrefix"),
                arguments(timers + "keyPrefix=%0A", 422, "invalid_key", "keyPrefix"),
                arguments(timers + "keyPrefix=" + "a".repeat(513), 422, "invalid_key", "keyPrefix"),
                arguments(timers + "state=", 422, "invalid_choice", "state"),
                arguments(timers + "state=pending", 422, "invalid_choice", "state"),
                arguments(timers + "state=COMPLETED", 422, "invalid_choice", "state"),
                arguments(timers + "limit=0", 422, "out_of_range", "limit"),
                arguments(timers + "limit=1001", 422, "out_of_range", "limit"),
                arguments(timers + "limit=-1", 422, "out_of_range", "limit"),
                arguments(timers + "limit=99999999999", 422, "out_of_range", "limit"),
                arguments(timers + "dueFrom=yesterday", 422, "invalid_time", "dueFrom"),
                arguments(timers + "dueTo=2100-01-01T00:00:00", 422, "invalid_time", "dueTo"),
                arguments(timers + "dueTo=253402300800000", 422, "out_of_range", "dueTo"),
                arguments(timers + "dueFrom=1796000000", 422, "invalid_time", "dueFrom"),
                arguments(timers + "dueTo=-99999999999", 422, "invalid_time", "dueTo"),
                arguments(timers + "dueTo=0", 422, "invalid_time", "dueTo"),
                arguments(timers + "dueFrom=100000000001&dueTo=100000000000", 422, "out_of_range", "dueFrom"),
                arguments(timers + "cursor=", 422, "invalid_cursor", "cursor"),
                arguments(timers + "cursor=AAAAAAAAAAAAAAAAAAAAAAAAAAAA", 422, "invalid_cursor", "cursor"),
                arguments("/v1/queues/%C3%A4/timers", 422, "invalid_queue", "queue"),
                arguments("/v1/queues/%C3%A4/load", 422, "invalid_queue", "queue"),
                arguments(load + "limit=1", 400, "unknown_parameter", "limit"),
                arguments(load + "bucket=fast", 422, "invalid_duration", "bucket"),
                arguments(load + "bucket=999ms", 422, "out_of_range", "bucket"),
                arguments(load + "bucket=36501d", 422, "out_of_range", "bucket"),
                arguments(load + "bucket=PT1.0001S", 422, "out_of_range", "bucket"),
                arguments(load + "buckets=0", 422, "out_of_range", "buckets"),
                arguments(load + "buckets=1441", 422, "out_of_range", "buckets"));
    }

    @ParameterizedTest
    @MethodSource
    void refused(String path, int status, String code, String field) {
        Reply reply = server.get(path);
        assertThat(reply.status()).as(reply.body()).isEqualTo(status);
        assertThat(reply.contentType()).isEqualTo(Problem.MEDIA_TYPE);
        assertThat(reply.field("code")).isEqualTo(code);
        assertThat(reply.field("field")).isEqualTo(field);
        assertThat(reply.field("detail")).isNotEmpty().doesNotContain("null");
    }

    @Test
    void otherCallsTakeNoParameters() {
        Reply reply =
                server.send("POST", TIMERS + "?limit=1", RunningServer.JSON, "{\"dueAt\":\"2100-01-01T00:00:00Z\"}");
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.field("code")).isEqualTo("unknown_parameter");
        assertThat(server.get("/v1/queues?state=DEAD").status()).isEqualTo(400);
    }
}
