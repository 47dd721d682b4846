package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.util.function.LongUnaryOperator;

/**
 * The requests that schedule timer after timer. A timer's payload is a JSON string of 128 bytes that begins with its number
 * and due time, so that whoever gets the callback can judge it without trusting the server.
 */
final class TimerRequests {

    static final String QUEUE = "bench";

    private static final int PAYLOAD_BYTES = 128;
    private static final byte[] ACCEPTED = "\"state\":\"PENDING\"".getBytes(UTF_8);

    private final InetSocketAddress server;
    private final String body;
    private final String keyPrefix;
    private final LongUnaryOperator dueAtMs;
    private final String queue;

    /**
     * @param server who is asked
     * @param receiver who gets the callbacks
     * @param keyPrefix begins all keys, so that rounds do not replace each other's timers
     * @param dueAtMs the due time of a timer by its number
     */
    TimerRequests(InetSocketAddress server, InetSocketAddress receiver, String keyPrefix, LongUnaryOperator dueAtMs) {
        this(server, receiver, QUEUE, keyPrefix, dueAtMs);
    }

    /** The same in another queue. */
    TimerRequests(
            InetSocketAddress server,
            InetSocketAddress receiver,
            String queue,
            String keyPrefix,
            LongUnaryOperator dueAtMs) {
        this.server = server;
        this.queue = queue;
        this.keyPrefix = keyPrefix;
        this.dueAtMs = dueAtMs;
        String marks = TimerTemplate.NUMBER + " " + TimerTemplate.DUE + " ";
        String payload = marks + "x".repeat(PAYLOAD_BYTES - 2 - marks.length());
        body = "\"dueAt\":" + TimerTemplate.DUE + ",\"target\":{\"url\":\"http://" + Loopback.authority(receiver)
                + "/callback\"},\"payload\":\"" + payload + "\"}";
    }

    /** One timer a request. */
    RequestSource puts() {
        String json = "{" + body;
        TimerTemplate template = new TimerTemplate(
                head("PUT", "timers/" + keyPrefix + TimerTemplate.NUMBER, "application/json", json.length()) + json);
        return (number, out) -> {
            int at = out.reserve(template.length());
            template.write(out.array(), at, number, dueAtMs.applyAsLong(number));
        };
    }

    /** {@code size} timers a request. */
    RequestSource batches(int size) {
        TimerTemplate line = new TimerTemplate("{\"key\":\"" + keyPrefix + TimerTemplate.NUMBER + "\"," + body + "\n");
        byte[] head = head("POST", "timers:batch", "application/x-ndjson", size * line.length())
                .getBytes(UTF_8);
        return (number, out) -> {
            out.append(head);
            int at = out.reserve(size * line.length());
            for (int i = 0; i < size; i++) {
                long timer = number * size + i;
                line.write(out.array(), at + i * line.length(), timer, dueAtMs.applyAsLong(timer));
            }
        };
    }

    /** A load of {@link #puts}, which accepts only that each timer is new. */
    HttpLoad load(int connections, int pipeline) {
        return load(connections, pipeline, TimerRequests::isNew);
    }

    /** A load of {@link #puts}, whose answers are judged by {@code check}. */
    HttpLoad load(int connections, int pipeline, ResponseCheck check) {
        return new HttpLoad(server, connections, pipeline, puts(), check);
    }

    private static int isNew(long number, HttpReader response) {
        return response.status() == HttpURLConnection.HTTP_CREATED ? 1 : 0;
    }

    /** Schedules that many timers in batches, or fails. */
    HttpLoad.Outcome schedule(int count, int batch, int connections) throws IOException {
        if (count % batch != 0) {
            throw new IllegalArgumentException(count + " timers do not make whole batches of " + batch);
        }
        HttpLoad.Outcome outcome = new HttpLoad(
                        server, connections, 1, batches(batch), (number, response) -> response.count(ACCEPTED))
                .run(count / batch);
        if (outcome.accepted() != count) {
            throw new IOException(outcome.accepted() + " of " + count + " timers accepted, " + outcome.statuses());
        }
        return outcome;
    }

    private String head(String method, String path, String contentType, int length) {
        return method + " /v1/queues/" + queue + "/" + path + " HTTP/1.1\r\nHost: " + Loopback.authority(server)
                + "\r\nContent-Type: " + contentType + "\r\nContent-Length: " + length + "\r\n\r\n";
    }
}
