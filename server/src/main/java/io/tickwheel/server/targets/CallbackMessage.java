package io.tickwheel.server.targets;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.SigningSecrets;
import io.tickwheel.server.wire.TimeText;
import io.tickwheel.target.message.TimerMessage;
import io.tickwheel.target.message.TraceContext;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;

/**
 * The headers of a callback: what a receiver needs to deduplicate, to order and to measure. The due time and the lateness are those
 * of the timer on every attempt; when the attempt itself was due has a header of its own.
 */
final class CallbackMessage {

    private static final CharSequence WEBHOOK_ID = HttpHeaders.createOptimized("webhook-id");
    private static final CharSequence WEBHOOK_TIMESTAMP = HttpHeaders.createOptimized("webhook-timestamp");
    private static final CharSequence WEBHOOK_SIGNATURE = HttpHeaders.createOptimized("webhook-signature");
    private static final CharSequence IDEMPOTENCY_KEY = HttpHeaders.createOptimized("Idempotency-Key");
    private static final CharSequence QUEUE = HttpHeaders.createOptimized("Tickwheel-Queue");
    private static final CharSequence KEY = HttpHeaders.createOptimized("Tickwheel-Key");
    private static final CharSequence VERSION = HttpHeaders.createOptimized("Tickwheel-Version");
    private static final CharSequence ATTEMPT = HttpHeaders.createOptimized("Tickwheel-Attempt");
    private static final CharSequence DUE_AT = HttpHeaders.createOptimized("Tickwheel-Due-At");
    private static final CharSequence ATTEMPT_AT = HttpHeaders.createOptimized("Tickwheel-Attempt-At");
    private static final CharSequence LATENESS = HttpHeaders.createOptimized("Tickwheel-Lateness-Ms");
    private static final String CLOUD_EVENTS = "ce-";
    private static final String HEX = "0123456789ABCDEF";

    private CallbackMessage() {}

    static MultiMap headers(Attempt attempt, Instant now) {
        MultiMap headers = HttpHeaders.headers();
        headers.set(WEBHOOK_ID, attempt.id());
        headers.set(WEBHOOK_TIMESTAMP, Long.toString(now.getEpochSecond()));
        SigningSecrets secrets = attempt.secrets();
        if (secrets != null) {
            headers.set(WEBHOOK_SIGNATURE, secrets.sign(attempt.id(), now.getEpochSecond(), attempt.payload()));
        }
        headers.set(IDEMPOTENCY_KEY, attempt.id());
        headers.set(QUEUE, attempt.queue());
        headers.set(KEY, encoded(attempt.key()));
        headers.set(VERSION, Long.toString(attempt.version()));
        headers.set(ATTEMPT, Integer.toString(attempt.number()));
        headers.set(DUE_AT, TimeText.format(attempt.dueAt().toEpochMilli()));
        headers.set(ATTEMPT_AT, TimeText.format(attempt.attemptAt().toEpochMilli()));
        headers.set(LATENESS, Long.toString(attempt.lateness().toMillis()));
        String contentType = attempt.contentType();
        if (contentType != null) {
            headers.set(HttpHeaders.CONTENT_TYPE, contentType);
        }
        if (attempt.isCloudEvent()) {
            TimerMessage.attributes(attempt)
                    .forEach((name, value) -> headers.set(CLOUD_EVENTS + name, encoded(value, true)));
        }
        for (Map.Entry<String, String> header : TraceContext.headersOf(attempt).entrySet()) {
            headers.set(header.getKey(), header.getValue());
        }
        return headers;
    }

    /**
     * The key, percent-encoded where it is not visible ASCII. A '%' is encoded too, so that decoding always gives the key.
     */
    static String encoded(String key) {
        return encoded(key, false);
    }

    /** @param withQuotes whether quotation marks are encoded too, as the HTTP binding of CloudEvents wants it */
    private static String encoded(String text, boolean withQuotes) {
        int at = 0;
        while (at < text.length() && isPlain(text.charAt(at), withQuotes)) {
            at++;
        }
        if (at == text.length()) {
            return text;
        }
        StringBuilder out = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (isPlain((char) (b & 0xFF), withQuotes)) {
                out.append((char) b);
            } else {
                out.append('%').append(HEX.charAt(b >> 4 & 0xF)).append(HEX.charAt(b & 0xF));
            }
        }
        return out.toString();
    }

    private static boolean isPlain(char c, boolean withQuotes) {
        return c > 0x20 && c < 0x7F && c != '%' && !(withQuotes && c == '"');
    }
}
