package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.vertx.core.http.HttpVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules for heads, each by itself; {@link FramingTest} has them as bytes. */
final class RequestHeadTest {

    private static final String JSON = "application/json";

    private static Problem framing(String... more) {
        String[] headers = new String[more.length + 2];
        headers[0] = "Host";
        headers[1] = "x";
        System.arraycopy(more, 0, headers, 2, more.length);
        return RequestHead.check(RequestOf.headers(headers));
    }

    private static void assertMalformed(Problem problem, String rule) {
        assertThat(problem).isNotNull();
        assertThat(problem.code()).isEqualTo(ProblemCode.MALFORMED_REQUEST);
        assertThat(problem.detail()).contains(rule);
    }

    private static Problem content(String... headers) {
        return RequestHead.checkContent(RequestOf.headers(headers), JSON);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "Shop.test:8080", "[::1]:80", "azAZ09-._~!$&'()*+,;=%:[]"})
    void hostIsAnAuthority(String host) {
        assertThat(RequestHead.check(RequestOf.headers("Host", host))).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x/y", "me@x", "x y", "x\"", "x{", "x`", "x?", "ä"})
    void otherHostsAreRefused(String host) {
        assertMalformed(RequestHead.check(RequestOf.headers("Host", host)), "must be a host and perhaps a port");
    }

    @Test
    void hostIsThereOnceAndNeedNotBeInOldRequests() {
        assertMalformed(RequestHead.check(RequestOf.headers()), "has 0 Host headers");
        assertMalformed(framing("Host", "x"), "has 2 Host headers");
        assertThat(RequestHead.check(RequestOf.head(HttpVersion.HTTP_1_0, "/"))).isNull();
        assertMalformed(
                RequestHead.check(RequestOf.head(HttpVersion.HTTP_1_0, "/", "Host", "x", "Host", "x")),
                "has 2 Host headers");
    }

    @Test
    void targetHasNoFragment() {
        assertMalformed(RequestHead.check(RequestOf.head(HttpVersion.HTTP_1_1, "#a", "Host", "x")), "no fragment");
        assertMalformed(RequestHead.check(RequestOf.head(HttpVersion.HTTP_1_1, "/a#", "Host", "x")), "no fragment");
    }

    @Test
    void bodyHasOneLengthOrIsChunked() {
        assertThat(framing()).isNull();
        assertThat(framing("Content-Length", "0123456789")).isNull();
        assertThat(framing("Transfer-Encoding", "Chunked")).isNull();
        for (String length : new String[] {"", "+1", "-1", "1,1", "1 ", "1a", "a1", "/", ":"}) {
            assertMalformed(framing("Content-Length", length), "must be one number");
        }
        assertMalformed(framing("Content-Length", "1", "Content-Length", "1"), "must be one number");
        assertMalformed(framing("Transfer-Encoding", "gzip"), "must be chunked");
        assertMalformed(framing("Transfer-Encoding", "chunked", "Transfer-Encoding", "chunked"), "must be chunked");
        assertMalformed(framing("Transfer-Encoding", "chunked", "Content-Length", "1"), "without Content-Length");
        assertMalformed(
                RequestHead.check(RequestOf.head(HttpVersion.HTTP_1_0, "/", "Transfer-Encoding", "chunked")),
                "in HTTP/1.1");
    }

    @Test
    void onlyOneExpectationIsMet() {
        assertThat(framing("Expect", "100-Continue")).isNull();
        Problem other = framing("Expect", "100-continue", "Expect", "200-ok");
        assertThat(other.code()).isEqualTo(ProblemCode.EXPECTATION_FAILED);
        assertThat(other.field()).isEqualTo("Expect");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/json",
                "Application/JSON",
                "application/json; charset=UTF-8",
                " application/json ;charset=\"utf-8\""
            })
    void contentIsOfTheTypeThatIsWanted(String type) {
        assertThat(content("Content-Type", type)).isNull();
        assertThat(content("Content-Type", type, "Content-Encoding", "Identity"))
                .isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "text/plain",
        "application/jsonx",
        "application/json; charset=latin1",
        "application/json; charset=utf-8; x=y",
        "application/json;",
        "text/plain; charset=utf-8"
    })
    void otherTypesAreRefused(String type) {
        Problem problem = content("Content-Type", type);
        assertThat(problem.code()).isEqualTo(ProblemCode.UNSUPPORTED_MEDIA_TYPE);
        assertThat(problem.detail()).contains(type, "must be application/json");
    }

    @Test
    void typeIsThereOnceAndNothingIsEncoded() {
        assertThat(content().detail()).contains("Content-Type is absent");
        assertThat(content("Content-Type", JSON, "Content-Type", JSON).code())
                .isEqualTo(ProblemCode.UNSUPPORTED_MEDIA_TYPE);
        assertThat(content("Content-Type", JSON, "Content-Encoding", "gzip").code())
                .isEqualTo(ProblemCode.UNSUPPORTED_CONTENT_ENCODING);
    }
}
