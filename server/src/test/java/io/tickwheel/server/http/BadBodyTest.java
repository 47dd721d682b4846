package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.tickwheel.server.RunningServer;
import io.tickwheel.server.RunningServer.Reply;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever body is sent with a timer, the answer is a problem that names its reason, and nothing of it remains. */
final class BadBodyTest extends BadInputScene {

    static Stream<Arguments> bodies() {
        return Stream.of(syntax(), fields(), dueTimes(), payloads(), targets(), headers(), policies())
                .flatMap(part -> part);
    }

    private static Stream<Arguments> syntax() {
        return Stream.of(
                bad("", 400, "malformed_json"),
                bad("   ", 400, "malformed_json"),
                bad("{", 400, "malformed_json"),
                bad("{\"delay\":\"1h\"", 400, "malformed_json"),
                bad("{\"delay\":\"1h", 400, "malformed_json"),
                bad("{\"delay\":\"1h\",}", 400, "malformed_json"),
                bad("{delay:\"1h\"}", 400, "malformed_json"),
                bad("{'delay':'1h'}", 400, "malformed_json"),
                bad("{\"delay\":\"1h\"} x", 400, "malformed_json"),
                bad("{\"delay\":\"1h\"}{}", 400, "malformed_json"),
                bad("{\"delay\":\"1h\"} // note", 400, "malformed_json"),
                bad("{\"delay\":\"1h\",\"payload\":NaN}", 400, "malformed_json"),
                bad("{\"delay\":\"1h\",\"payload\":Infinity}", 400, "malformed_json"),
                bad("{\"delay\":\"1h\",\"payload\":01}", 400, "malformed_json"),
                bad("{\"delay\":\"1h\",\"payload\":1.}", 400, "malformed_json"),
                bad("{\"delay\":\"1h\",\"payload\":\"\\x\"}", 400, "malformed_json"),
                bad("{\"delay\":\"1h\",\"payload\":\"a\nb\"}", 400, "malformed_json"),
                bad("{\"delay\":\"1h\",\"payload\":\"a\u0000b\"}", 400, "malformed_json"),
                bad("{\"delay\":\"1h\",\"payload\":[1}}", 400, "malformed_json"),
                bad("{\"delay\":\"1h\",\"payload\":}", 400, "malformed_json"),
                bad("[]", 400, "wrong_type"),
                bad("null", 400, "wrong_type"),
                bad("\"1h\"", 400, "wrong_type"),
                bad("\uFEFF{\"delay\":\"1h\"}", 400, "invalid_utf8"),
                bad("{\"delay\":\"1h\",\"payload\":" + "[".repeat(64) + "]".repeat(64) + "}", 400, "json_limit"),
                bad("{\"delay\":\"1h\",\"payload\":" + "[".repeat(100_000) + "}", 400, "json_limit"),
                bad("{\"delay\":\"1h\",\"target\":{\"log\":[0" + ",0".repeat(1_000) + "]}}", 400, "json_limit"));
    }

    private static Stream<Arguments> fields() {
        return Stream.of(
                bad("{\"delay\":\"1h\",\"dealy\":1}", 400, "unknown_field", "dealy"),
                bad("{\"delay\":\"1h\",\"Payload\":1}", 400, "unknown_field", "Payload"),
                bad("{\"delay\":\"1h\",\"\":1}", 400, "unknown_field"),
                bad("{\"delay\":\"1h\",\"cancel\":\"k\"}", 400, "unknown_field", "cancel"),
                bad("{\"delay\":\"1h\",\"target\":{\"uri\":\"x\"}}", 400, "unknown_field", "target.uri"),
                bad("{\"delay\":\"1h\",\"target\":{\"log\":{\"a\":1}}}", 400, "unknown_field", "target.log.a"),
                bad("{\"delay\":\"1h\",\"retry\":{\"max\":1}}", 400, "unknown_field", "retry.max"),
                bad("{\"delay\":\"1h\",\"delay\":\"2h\"}", 400, "duplicate_field", "delay"),
                bad("{\"delay\":\"1h\",\"d\\u0065lay\":\"2h\"}", 400, "duplicate_field", "delay"),
                bad("{\"delay\":\"1h\",\"payload\":{\"a\":1,\"a\":2}}", 400, "duplicate_field", "a"),
                bad("{\"delay\":\"1h\",\"payload\":[{\"b\":{\"a\":1,\"a\":2}}]}", 400, "duplicate_field", "a"),
                bad("{\"delay\":\"1h\",\"headers\":{\"A\":\"1\",\"A\":\"2\"}}", 400, "duplicate_field", "A"),
                bad("{\"delay\":\"1h\",\"state\":\"PENDING\"}", 400, "field_not_allowed", "state"),
                bad("{\"delay\":\"1h\",\"version\":7}", 400, "field_not_allowed", "version"),
                bad("{\"delay\":\"1h\",\"id\":\"x\"}", 400, "field_not_allowed", "id"),
                bad("{\"delay\":\"1h\",\"attempts\":0}", 400, "field_not_allowed", "attempts"),
                bad("{\"delay\":\"1h\",\"queue\":\"q\"}", 400, "field_not_allowed", "queue"),
                bad("{\"delay\":\"1h\",\"key\":\"k\"}", 400, "field_not_allowed", "key"),
                bad("{\"delay\":\"1h\",\"contentType\":\"text/plain\"}", 400, "field_not_allowed", "contentType"));
    }

    private static Stream<Arguments> dueTimes() {
        return Stream.of(
                bad("{}", 400, "due_time_missing"),
                bad("{\"payload\":1}", 400, "due_time_missing"),
                bad("{\"delay\":\"1h\",\"dueAt\":\"2030-01-01T00:00:00Z\"}", 400, "due_time_ambiguous"),
                bad("{\"delay\":\"1h\",\"delayLevel\":3}", 400, "due_time_ambiguous"),
                bad("{\"delay\":3600}", 400, "wrong_type", "delay"),
                bad("{\"delay\":null}", 400, "wrong_type", "delay"),
                bad("{\"delay\":\"\"}", 422, "invalid_duration", "delay"),
                bad("{\"delay\":\" 1h\"}", 422, "invalid_duration", "delay"),
                bad("{\"delay\":\"soon\"}", 422, "invalid_duration", "delay"),
                bad("{\"delay\":\"10\"}", 422, "invalid_duration", "delay"),
                bad("{\"delay\":\"-5s\"}", 422, "invalid_duration", "delay"),
                bad("{\"delay\":\"PT-5S\"}", 422, "invalid_duration", "delay"),
                bad("{\"delay\":\"1.5h\"}", 422, "invalid_duration", "delay"),
                bad("{\"delay\":\"P1M\"}", 422, "invalid_duration", "delay"),
                bad("{\"delay\":\"P1Y\"}", 422, "invalid_duration", "delay"),
                bad("{\"delay\":\"1" + "0".repeat(30) + "s\"}", 422, "invalid_duration", "delay"),
                bad("{\"delay\":\"PT1" + "0".repeat(30) + "S\"}", 422, "invalid_duration", "delay"),
                bad("{\"delay\":\"9000000000000s\"}", 422, "out_of_range"),
                bad("{\"delay\":\"PT9000000000000000000S\"}", 422, "out_of_range"),
                bad("{\"delay\":\"3660000d\"}", 422, "out_of_range"),
                bad("{\"delayLevel\":0}", 422, "out_of_range", "delayLevel"),
                bad("{\"delayLevel\":19}", 422, "out_of_range", "delayLevel"),
                bad("{\"delayLevel\":1" + "0".repeat(40) + "}", 422, "out_of_range", "delayLevel"),
                bad("{\"delayLevel\":1.5}", 400, "wrong_type", "delayLevel"),
                bad("{\"delayLevel\":\"3\"}", 400, "wrong_type", "delayLevel"),
                bad("{\"dueAt\":\"2030-01-01T00:00:00\"}", 422, "invalid_time", "dueAt"),
                bad("{\"dueAt\":\"2030-01-01\"}", 422, "invalid_time", "dueAt"),
                bad("{\"dueAt\":\"2030-02-30T00:00:00Z\"}", 422, "invalid_time", "dueAt"),
                bad("{\"dueAt\":\"2030-01-01T00:00:00+25:00\"}", 422, "invalid_time", "dueAt"),
                bad("{\"dueAt\":\"+1000000000-12-31T00:00:00Z\"}", 422, "invalid_time", "dueAt"),
                bad("{\"dueAt\":\"tomorrow\"}", 422, "invalid_time", "dueAt"),
                bad("{\"dueAt\":\"\"}", 422, "invalid_time", "dueAt"),
                bad("{\"dueAt\":253402300800000}", 422, "out_of_range", "dueAt"),
                bad("{\"dueAt\":99999999999999999}", 422, "out_of_range", "dueAt"),
                bad("{\"dueAt\":-99999999999999999}", 422, "out_of_range", "dueAt"),
                bad("{\"dueAt\":999999999999999999}", 422, "out_of_range", "dueAt"),
                bad("{\"dueAt\":-999999999999999999}", 422, "out_of_range", "dueAt"),
                bad("{\"dueAt\":9999999999999999999}", 422, "out_of_range", "dueAt"),
                bad("{\"dueAt\":9223372036854775807}", 422, "out_of_range", "dueAt"),
                bad("{\"dueAt\":-9223372036854775808}", 422, "out_of_range", "dueAt"),
                bad("{\"dueAt\":1796000000}", 422, "invalid_time", "dueAt"),
                bad("{\"dueAt\":99999999999}", 422, "invalid_time", "dueAt"),
                bad("{\"dueAt\":-99999999999}", 422, "invalid_time", "dueAt"),
                bad("{\"dueAt\":1}", 422, "invalid_time", "dueAt"),
                bad("{\"dueAt\":0}", 422, "invalid_time", "dueAt"),
                bad("{\"dueAt\":-0}", 422, "invalid_time", "dueAt"),
                bad("{\"dueAt\":-1}", 422, "invalid_time", "dueAt"),
                bad("{\"dueAt\":1e400}", 400, "wrong_type", "dueAt"),
                bad("{\"dueAt\":1.5e12}", 400, "wrong_type", "dueAt"),
                bad("{\"dueAt\":true}", 400, "wrong_type", "dueAt"));
    }

    private static Stream<Arguments> payloads() {
        return Stream.of(
                bad("{\"delay\":\"1h\",\"payload\":1,\"payloadBase64\":\"AA==\"}", 400, "payload_ambiguous"),
                bad("{\"delay\":\"1h\",\"payloadBase64\":1}", 400, "wrong_type", "payloadBase64"),
                bad("{\"delay\":\"1h\",\"payloadBase64\":\"A\"}", 422, "invalid_base64", "payloadBase64"),
                bad("{\"delay\":\"1h\",\"payloadBase64\":\"AA==*\"}", 422, "invalid_base64", "payloadBase64"),
                bad("{\"delay\":\"1h\",\"payloadBase64\":\"AA\"}", 422, "invalid_base64", "payloadBase64"),
                bad("{\"delay\":\"1h\",\"payloadBase64\":\"AAEC\\nAAEC\"}", 422, "invalid_base64", "payloadBase64"),
                bad("{\"delay\":\"1h\",\"payloadBase64\":\"__8=\"}", 422, "invalid_base64", "payloadBase64"),
                bad("{\"delay\":\"1h\",\"payloadBase64\":\"AB==\"}", 422, "invalid_base64", "payloadBase64"),
                bad(
                        "{\"delay\":\"1h\",\"payloadBase64\":\"AA==\",\"contentType\":\"text\"}",
                        422,
                        "invalid_content_type",
                        "contentType"),
                bad(
                        "{\"delay\":\"1h\",\"payloadBase64\":\"AA==\",\"contentType\":\"a/b\\r\\nX: y\"}",
                        422,
                        "invalid_content_type",
                        "contentType"));
    }

    private static Stream<Arguments> targets() {
        return Stream.of(
                bad("{\"delay\":\"1h\",\"target\":\"http://x\"}", 400, "wrong_type", "target"),
                bad("{\"delay\":\"1h\",\"target\":{}}", 400, "target_ambiguous", "target"),
                bad("{\"delay\":\"1h\",\"target\":{\"method\":\"POST\"}}", 400, "target_ambiguous", "target"),
                bad(
                        "{\"delay\":\"1h\",\"target\":{\"log\":{},\"url\":\"http://x\"}}",
                        400,
                        "target_ambiguous",
                        "target"),
                bad("{\"delay\":\"1h\",\"target\":{\"log\":true}}", 400, "wrong_type", "target.log"),
                bad("{\"delay\":\"1h\",\"target\":{\"kafka\":{\"topic\":\"a/b\"}}}", 422, "invalid_target"),
                bad("{\"delay\":\"1h\",\"target\":{\"url\":7}}", 400, "wrong_type", "target.url"),
                badUrl("ftp://x/"),
                badUrl("file:///etc/x"),
                badUrl("javascript:alert(1)"),
                badUrl("//x/"),
                badUrl("http://"),
                badUrl("http:///x"),
                badUrl("http://user@x/"),
                badUrl("http://user:secret@x/"),
                badUrl("http://[]/"),
                badUrl("http://[::1/"),
                badUrl("http://[127.0.0.1]/"),
                badUrl("http://[fe80::1%25eth0]/"),
                badUrl("http://[::1%251]:80/"),
                badUrl("http://[fe80::1%eth0]/"),
                badUrl("http://[::127.0.0.1]/"),
                badUrl("http://[::7f00:1]/"),
                badUrl("http://[::ffff:127.0.0.1.]/"),
                badUrl("http://[::ffff:256.0.0.1]/"),
                badUrl("http://[::ffff:1.2.3]/"),
                badUrl("http://[::ffff:224.0.0.1]/"),
                badUrl("http://[ff02::1]/"),
                badUrl("http://[1:2:3:4:5:6:7:8:9]/"),
                badUrl("http://[1:2:3:4:5:6:7]/"),
                badUrl("http://[1:2:3:4::5:6:7:8]/"),
                badUrl("http://[1::2::3]/"),
                badUrl("http://[00000::1]/"),
                badUrl("http://[v1.x]/"),
                badUrl("http://[localhost]/"),
                badUrl("http://[::1]x/"),
                badUrl("http://[::1]]/"),
                badUrl("http://::1/"),
                badUrl("http://224.0.0.1/"),
                badUrl("http://127.1/"),
                badUrl("http://2130706433/"),
                badUrl("http://999.1.1.1/"),
                badUrl("http://127.0.0.1./"),
                badUrl("http://a..b/"),
                badUrl("http://.a/"),
                badUrl("http://-a/"),
                badUrl("http://a-/"),
                badUrl("http://" + "a".repeat(64) + "/"),
                badUrl("http://" + "a.".repeat(127) + "/"),
                badUrl("http://%31/"),
                badUrl("http://:80/"),
                badUrl("http://?x"),
                badUrl("http://x:/"),
                badUrl("http://x:-1/"),
                badUrl("http://x:+80/"),
                badUrl("http://x:000080/"),
                badUrl("http://x:99999/"),
                badUrl("http://@/"),
                badUrl("http://x/\\u0007"),
                badUrl("http://x/\\t"),
                badUrl("http://x/\\u007f"),
                badUrl("http://x/#part"),
                badUrl("http://x:0/"),
                badUrl("http://x:65536/"),
                badUrl("http://x:1x/"),
                badUrl("http://x y/"),
                badUrl("http://x/a b"),
                badUrl("http://x/\\u0000"),
                badUrl("http://x/\\r\\nHost: y"),
                badUrl("http://x\\\\y/"),
                badUrl("http://x/%zz"),
                badUrl("http://[::g]/"),
                badUrl("http://x/\u00e4"),
                badUrl("http://x/" + "a".repeat(2_040)),
                bad(
                        "{\"delay\":\"1h\",\"target\":{\"url\":\"http://x/\",\"method\":\"TRACE\"}}",
                        422,
                        "invalid_method",
                        "target.method"),
                bad(
                        "{\"delay\":\"1h\",\"target\":{\"url\":\"http://x/\",\"method\":\"post\"}}",
                        422,
                        "invalid_method",
                        "target.method"),
                bad(
                        "{\"delay\":\"1h\",\"payload\":1,\"target\":{\"url\":\"http://x/\",\"method\":\"GET\"}}",
                        422,
                        "invalid_method",
                        "target.method"),
                bad(
                        "{\"delay\":\"1h\",\"target\":{\"url\":\"http://x/\\ud800\"}}",
                        400,
                        "lone_surrogate",
                        "target.url"));
    }

    private static Stream<Arguments> headers() {
        Stream<Arguments> names = Stream.of(
                        "",
                        "A B",
                        "A:",
                        "A\\r\\nB",
                        "A\\u0000",
                        "\u00e4",
                        "\u010a",
                        "Host",
                        "host",
                        "Content-Length",
                        "Content-Type",
                        "Transfer-Encoding",
                        "TE",
                        "Trailer",
                        "Connection",
                        "Keep-Alive",
                        "Upgrade",
                        "Expect",
                        "Proxy-Authorization",
                        "Forwarded",
                        "Via",
                        "HTTP2-Settings",
                        "X-Real-IP",
                        "Client-IP",
                        "X-Client-IP",
                        "True-Client-IP",
                        "cf_connecting_ip",
                        "CF-Connecting-IP",
                        "X-Forwarded-For",
                        "x_forwarded_for",
                        "Content_Length",
                        "Transfer_Encoding",
                        "WEBHOOK_SIGNATURE",
                        "Tickwheel_Key",
                        "Proxy-Connection",
                        "Content-Encoding",
                        "A\\u560aB",
                        "A\\u010dB",
                        " A",
                        "A ",
                        "\\tA",
                        "webhook-id",
                        "Webhook-Signature",
                        "Tickwheel-Key",
                        "Idempotency-Key")
                .map(name -> bad("{\"delay\":\"1h\",\"headers\":{\"" + name + "\":\"v\"}}", 422, "invalid_header"));
        Stream<Arguments> values = Stream.of(
                        "a\\r\\nB: c",
                        "a\\nb",
                        "a\\rb",
                        "a\\u0000b",
                        "\u00e4",
                        "\u560a",
                        "\u010a",
                        "\u010d",
                        "a\\r\\n b",
                        "\\u2028",
                        "\\u007f")
                .map(value -> bad(
                        "{\"delay\":\"1h\",\"headers\":{\"X-A\":\"" + value + "\"}}",
                        422,
                        "invalid_header",
                        "headers.X-A"));
        StringBuilder many = new StringBuilder("{\"delay\":\"1h\",\"headers\":{\"X\":\"\"");
        for (int i = 0; i < 32; i++) {
            many.append(",\"X").append(i).append("\":\"\"");
        }
        Stream<Arguments> others = Stream.of(
                bad("{\"delay\":\"1h\",\"headers\":[]}", 400, "wrong_type", "headers"),
                bad("{\"delay\":\"1h\",\"headers\":{\"X\":1}}", 400, "wrong_type", "headers.X"),
                bad(
                        "{\"delay\":\"1h\",\"headers\":{\"X-A\":\"1\",\"x-a\":\"2\"}}",
                        422,
                        "invalid_header",
                        "headers.x-a"),
                bad("{\"delay\":\"1h\",\"headers\":{\"X\":\"\\udc00\"}}", 400, "lone_surrogate"),
                bad("{\"delay\":\"1h\",\"headers\":{\"\\ud800\":\"\"}}", 400, "malformed_json"),
                bad(many + "}}", 422, "invalid_header", "headers"),
                bad(
                        "{\"delay\":\"1h\",\"headers\":{\"X\":\"" + "a".repeat(8_192) + "\"}}",
                        422,
                        "invalid_header",
                        "headers"));
        return Stream.of(names, values, others).flatMap(part -> part);
    }

    private static Stream<Arguments> policies() {
        return Stream.of(
                bad("{\"delay\":\"1h\",\"retry\":3}", 400, "wrong_type", "retry"),
                bad("{\"delay\":\"1h\",\"retry\":{\"maxAttempts\":0}}", 422, "out_of_range", "retry.maxAttempts"),
                bad("{\"delay\":\"1h\",\"retry\":{\"maxAttempts\":1001}}", 422, "out_of_range", "retry.maxAttempts"),
                bad("{\"delay\":\"1h\",\"retry\":{\"maxAttempts\":\"3\"}}", 400, "wrong_type", "retry.maxAttempts"),
                bad("{\"delay\":\"1h\",\"retry\":{\"backoff\":\"0s\"}}", 422, "out_of_range", "retry.backoff"),
                bad("{\"delay\":\"1h\",\"retry\":{\"backoff\":\"721h\"}}", 422, "out_of_range", "retry.backoff"),
                bad(
                        "{\"delay\":\"1h\",\"retry\":{\"backoff\":\"1s\",\"interval\":\"1s\"}}",
                        422,
                        "out_of_range",
                        "retry"),
                bad("{\"delay\":\"1h\",\"retry\":{\"interval\":\"721h\"}}", 422, "out_of_range", "retry.interval"),
                bad("{\"delay\":\"1h\",\"retry\":{\"delays\":[]}}", 422, "out_of_range", "retry.delays"),
                bad("{\"delay\":\"1h\",\"retry\":{\"jitter\":1.1}}", 422, "out_of_range", "retry.jitter"),
                bad("{\"delay\":\"1h\",\"retry\":{\"backoff\":\"x\"}}", 422, "invalid_duration", "retry.backoff"),
                bad("{\"delay\":\"1h\",\"onConflict\":\"REPLACE\"}", 422, "invalid_choice", "onConflict"),
                bad("{\"delay\":\"1h\",\"onConflict\":\"twice\"}", 422, "invalid_choice", "onConflict"),
                bad("{\"delay\":\"1h\",\"onConflict\":1}", 400, "wrong_type", "onConflict"),
                bad("{\"delay\":\"1h\",\"expireAfter\":\"0s\"}", 422, "out_of_range", "expireAfter"),
                bad("{\"delay\":\"1h\",\"expireAfter\":\"PT0.0015S\"}", 422, "out_of_range", "expireAfter"),
                bad("{\"delay\":\"1h\",\"expireAfter\":\"100000d\"}", 422, "out_of_range", "expireAfter"));
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void aBadBodyIsRefusedWithItsReason(String body, int status, String code, String field) {
        assertProblem(server.put("q", "k", body), status, code, field);
    }

    /** In our words, or in those of the parser that are about the body alone. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {                                | the body is not JSON near byte 1: it ends before the object does
            {"delay":"1h                     | the body is not JSON near byte 12: it ends before the object does
            {"delay":"1h","payload":[1}}     | the body is not JSON near byte 27: Unexpected close marker '}': expected ']'
            {"delay":"1h","payload":NaN}     | the body is not JSON near byte 27: Non-standard token 'NaN'
            {"delay":"1h",/* c */"payload":1}| the body is not JSON near byte 15: Unexpected character ('/' (code 47))
            """)
    void whatIsNoJsonIsToldWithoutWhatTheParserSaysOfItself(String body, String detail) {
        Reply reply = server.put("bad", "k", body);
        assertProblem(reply, 400, "malformed_json", "");
        assertThat(reply.field("detail")).isEqualTo(detail);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"delay\":\"1h\",\"payload\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
                "{\"dueAt\":1%s}"
            })
    void whatIsBeyondTheLimitsOfJsonIsToldTheRule(String body) {
        Reply reply = server.put("bad", "k", body.replace("%s", "0".repeat(1_000)));
        assertProblem(reply, 400, "json_limit", "");
        assertThat(reply.field("detail"))
                .matches(
                        "near byte \\d+, the body must be nested at most 64 deep, have names of at most 50000 characters, and"
                                + " numbers of at most 1000");
    }

    /** It may be a password of the receiver. */
    @Test
    void valueOfAHeaderIsInNoRefusal() {
        Reply refused = server.put("bad", "k", "{\"delay\":\"1h\",\"headers\":{\"X-A\":\"secret\\u0001word\"}}");
        assertProblem(refused, 422, "invalid_header", "headers.X-A");
        assertThat(refused.field("detail"))
                .contains("the value of headers.X-A has the character U+0001 at 6")
                .doesNotContain("secret");
    }

    @Test
    void secondsInThePlaceOfMillisecondsAreRefusedWithBothReadings() {
        String rule = ", as milliseconds 1970-01-21T18:53:20.000Z, as seconds 2026-11-30T00:53:20.000Z; must be"
                + " RFC 3339, or milliseconds since the epoch of at least 100000000000 or at most -100000000000";
        assertThat(server.put("q", "k", "{\"dueAt\":1796000000}").field("detail"))
                .isEqualTo("dueAt is 1796000000" + rule);
        Reply lines = server.batch("q", "{\"key\":\"k\",\"dueAt\":1796000000}\n");
        assertThat(lines.field("status")).isEqualTo("422");
        assertThat(lines.field("detail")).isEqualTo("dueAt is 1796000000" + rule);
        for (String name : new String[] {"dueFrom", "dueTo"}) {
            Reply list = server.get("/v1/queues/q/timers?" + name + "=1796000000");
            assertProblem(list, 422, "invalid_time", name);
            assertThat(list.field("detail")).startsWith(name + " is ").endsWith(rule);
        }
    }

    @ParameterizedTest
    @MethodSource
    void bytesThatAreNotUtf8AreRefused(byte[] bytes) {
        byte[] head = "{\"delay\":\"1h\",\"payload\":\"".getBytes(StandardCharsets.US_ASCII);
        byte[] tail = "\"}".getBytes(StandardCharsets.US_ASCII);
        byte[] body = new byte[head.length + bytes.length + tail.length];
        System.arraycopy(head, 0, body, 0, head.length);
        System.arraycopy(bytes, 0, body, head.length, bytes.length);
        System.arraycopy(tail, 0, body, head.length + bytes.length, tail.length);
        Reply reply = server.sendBytes("PUT", RunningServer.timer("q", "k"), RunningServer.JSON, body);
        assertProblem(reply, 400, "invalid_utf8", "");
    }

    static Stream<byte[]> bytesThatAreNotUtf8AreRefused() {
        return Stream.of(
                new byte[] {(byte) 0x80},
                new byte[] {(byte) 0xC0, (byte) 0xAE},
                new byte[] {(byte) 0xC3},
                new byte[] {(byte) 0xE0, (byte) 0x80, (byte) 0x80},
                new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80},
                new byte[] {(byte) 0xF0, (byte) 0x80, (byte) 0x80, (byte) 0x80},
                new byte[] {(byte) 0xF4, (byte) 0x90, (byte) 0x80, (byte) 0x80},
                new byte[] {(byte) 0xFF});
    }

    private static Arguments badUrl(String url) {
        return bad("{\"delay\":\"1h\",\"target\":{\"url\":\"" + url + "\"}}", 422, "invalid_url", "target.url");
    }

    private static Arguments bad(String body, int status, String code) {
        return bad(body, status, code, "");
    }

    private static Arguments bad(String body, int status, String code, String field) {
        return arguments(body, status, code, field);
    }
}
