package io.tickwheel.target.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.tickwheel.engine.Attempt;
import io.tickwheel.store.TimerKey;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TraceContextTest {

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String PARENT = "00-" + TRACE + "-00f067aa0ba902b7-01";

    private static Attempt attempt(String id, int number, Map<String, String> headers) {
        return new Attempt(
                new TimerKey("q", "k"),
                id,
                1,
                number,
                Instant.EPOCH,
                Instant.EPOCH,
                Duration.ZERO,
                new byte[0],
                null,
                headers,
                null);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                PARENT,
                "00-" + TRACE + "-00f067aa0ba902b7-00",
                "00-" + TRACE + "-00f067aa0ba902b7-ff",
                "cc-" + TRACE + "-00f067aa0ba902b7-01",
                "cc-" + TRACE + "-00f067aa0ba902b7-01-what-the-future-will-be-like"
            })
    void parentIsOfThisVersionOrALaterOne(String text) {
        assertThat(TraceContext.isParent(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                " " + PARENT,
                PARENT + " ",
                PARENT + "-more",
                "cc-" + TRACE + "-00f067aa0ba902b7-01.what",
                "ff-" + TRACE + "-00f067aa0ba902b7-01",
                "0-" + TRACE + "-00f067aa0ba902b7-01",
                "00-" + TRACE + "-00f067aa0ba902b7-1",
                "00-" + TRACE + "-00f067aa0ba902b-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-" + TRACE + "-00f067aa0ba902bg-01",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-" + TRACE + "-0000000000000000-01",
                "00_" + TRACE + "_00f067aa0ba902b7_01"
            })
    void whatIsNoParentIsToldApart(String text) {
        assertThat(TraceContext.isParent(text)).isFalse();
    }

    @Test
    void eachAttemptHasASpanOfItsOwnInTheSameTrace() {
        Set<String> spans = new HashSet<>();
        for (String id : new String[] {"tmr_1", "tmr_2"}) {
            for (int number = 1; number <= 100; number++) {
                String next = TraceContext.headersOf(attempt(id, number, Map.of("traceparent", PARENT)))
                        .get("traceparent");
                assertThat(TraceContext.isParent(next)).as(next).isTrue();
                assertThat(next).startsWith("00-" + TRACE + "-").endsWith("-01").hasSize(55);
                spans.add(next.substring(36, 52));
            }
        }
        assertThat(spans).hasSize(200).doesNotContain("00f067aa0ba902b7");
        Map<String, String> again = TraceContext.headersOf(attempt("tmr_1", 7, Map.of("traceparent", PARENT)));
        assertThat(TraceContext.headersOf(attempt("tmr_1", 7, Map.of("traceparent", PARENT))))
                .isEqualTo(again);
    }

    @ParameterizedTest
    @CsvSource({"00, 00", "01, 01", "02, 02", "03, 03", "ff, 03", "08, 00"})
    void flagsThatAreKnownAreSentOn(String scheduled, String sent) {
        String parent = "cc-" + TRACE + "-00f067aa0ba902b7-" + scheduled + "-more";
        assertThat(TraceContext.headersOf(attempt("t", 1, Map.of("TraceParent", parent)))
                        .get("TraceParent"))
                .startsWith("00-" + TRACE)
                .endsWith("-" + sent)
                .hasSize(55);
    }

    @Test
    void otherHeadersStayAsTheyAreAndWhereTheyAre() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("a", "1");
        headers.put("Traceparent", PARENT);
        headers.put("tracestate", "congo=t61rcWkgMzE");
        headers.put("b", "2");
        Map<String, String> next = TraceContext.headersOf(attempt("t", 1, headers));
        assertThat(next.keySet()).containsExactly("a", "Traceparent", "tracestate", "b");
        assertThat(next).contains(entry("a", "1"), entry("tracestate", "congo=t61rcWkgMzE"), entry("b", "2"));
        assertThat(headers).containsEntry("Traceparent", PARENT);
    }

    @Test
    void whatIsNoTraceIsSentAsItIs() {
        for (Map<String, String> headers :
                List.<Map<String, String>>of(Map.of(), Map.of("traceparent", "mine"), Map.of("tracestate", "a=b"))) {
            assertThat(TraceContext.headersOf(attempt("t", 1, headers))).isEqualTo(headers);
        }
    }

    @Test
    void messagesGoOnInTheTrace() {
        Map<String, String> sent = TimerMessage.of(attempt("t", 2, Map.of("traceparent", PARENT)), "ce_")
                .headers();
        assertThat(sent.get("traceparent"))
                .startsWith("00-" + TRACE)
                .isNotEqualTo(PARENT)
                .isEqualTo(TraceContext.headersOf(attempt("t", 2, Map.of("traceparent", PARENT)))
                        .get("traceparent"));
    }
}
