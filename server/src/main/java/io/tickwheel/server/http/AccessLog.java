package io.tickwheel.server.http;

import io.tickwheel.engine.Clock;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.server.wire.TimeText;
import io.vertx.core.http.HttpServerRequest;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a line for each answer: when, from which address, whose token, which method and path, what status, how long it took, how many bytes came and went. It has
 * neither queries nor headers nor bodies. For one event loop.
 */
public final class AccessLog {

    /** Its lines are complete: the appender adds nothing. */
    static final String NAME = "tickwheel.access";

    private static final Logger LOG = LoggerFactory.getLogger(NAME);
    private static final String NOTHING = "-";
    private static final int NANOS_PER_MICRO = 1_000;
    private static final int DIGITS_OF_MS = 3;

    private final boolean isJson;
    private final Clock clock;

    /** @param isJson whether a line is an object, and no text */
    public AccessLog(boolean isJson, Clock clock) {
        this.isJson = isJson;
        this.clock = clock;
    }

    long nanos() {
        return clock.monoNanos();
    }

    /**
     * Writes the line of an answer.
     *
     * @param token the name of the caller's; empty for none
     */
    void answered(HttpServerRequest request, String token, long startedNanos, int status, int bytes) {
        boolean isRead = !request.decoderResult().isFailure();
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("time", TimeText.format(clock.wallMs()));
        fields.put("address", String.valueOf(request.remoteAddress().hostAddress()));
        fields.put("token", token.isEmpty() ? NOTHING : token);
        fields.put("method", isRead ? Excerpt.of(request.method().name()) : NOTHING);
        fields.put("path", isRead ? path(request.uri()) : NOTHING);
        fields.put("status", (long) status);
        fields.put("durationMs", BigDecimal.valueOf((nanos() - startedNanos) / NANOS_PER_MICRO, DIGITS_OF_MS));
        fields.put("bytesIn", request.bytesRead());
        fields.put("bytesOut", (long) bytes);
        LOG.info(isJson ? json(fields) : text(fields));
    }

    private static String path(String target) {
        int mark = target.indexOf('?');
        return Excerpt.line(mark < 0 ? target : target.substring(0, mark));
    }

    private static String json(Map<String, Object> fields) {
        return new JsonOut(256).value(fields).toBuffer().toString(StandardCharsets.UTF_8);
    }

    private static String text(Map<String, Object> fields) {
        return fields.values().stream().map(String::valueOf).collect(Collectors.joining(" "));
    }
}
