package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RequestTraceTest {

    private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    private static Map<String, String> trace(String... headers) {
        return RequestTrace.of(RequestOf.headers(headers));
    }

    @Test
    void traceIsItsParentAndItsState() {
        assertThat(trace("Traceparent", PARENT)).isEqualTo(Map.of("traceparent", PARENT));
        assertThat(trace("traceparent", PARENT, "tracestate", "a=1 2", "TraceState", "b=~"))
                .isEqualTo(Map.of("traceparent", PARENT, "tracestate", "a=1 2,b=~"));
    }

    @Test
    void whatIsNoTraceIsIgnored() {
        assertThat(trace()).isEmpty();
        assertThat(trace("tracestate", "a=1")).isEmpty();
        assertThat(trace("traceparent", PARENT, "traceparent", PARENT)).isEmpty();
        assertThat(trace("traceparent", PARENT.substring(1))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a=\t1", "a=\u007f", "a=ä"})
    void stateThatMustNotBeSentOnIsLeftOut(String state) {
        assertThat(trace("traceparent", PARENT, "tracestate", state)).isEqualTo(Map.of("traceparent", PARENT));
    }

    @Test
    void stateIsKeptUpToItsLength() {
        String longest = "a=" + "x".repeat(510);
        assertThat(trace("traceparent", PARENT, "tracestate", longest)).containsEntry("tracestate", longest);
        assertThat(trace("traceparent", PARENT, "tracestate", longest + "x")).containsOnlyKeys("traceparent");
    }
}
