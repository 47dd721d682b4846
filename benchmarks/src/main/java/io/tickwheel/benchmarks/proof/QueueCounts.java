package io.tickwheel.benchmarks.proof;

import java.io.IOException;
import java.util.List;

/** How many timers of a queue there are, as the server says. */
record QueueCounts(long pending, long claimed, long dead) {

    static QueueCounts of(HttpCalls calls, String queue) throws IOException {
        String shown = calls.get("/v1/queues").expect(200).body();
        int at = shown.indexOf("\"name\":\"" + queue + "\"");
        if (at < 0) {
            return new QueueCounts(0, 0, 0);
        }
        String counts = shown.substring(at);
        return new QueueCounts(first(counts, "pending"), first(counts, "claimed"), first(counts, "dead"));
    }

    private static long first(String counts, String field) {
        List<Long> values = Json.numbers(counts, field);
        return values.isEmpty() ? 0 : values.get(0);
    }
}
