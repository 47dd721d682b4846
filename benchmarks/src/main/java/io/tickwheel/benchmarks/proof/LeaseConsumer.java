package io.tickwheel.benchmarks.proof;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tickwheel.benchmarks.Loopback;
import io.tickwheel.benchmarks.Options;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * A consumer in a process of its own, which is killed: it leases timers, works on them for a moment and acknowledges them, until its input ends. What it does stands
 * in a file before it goes on.
 *
 * <pre>
 *   handled  lease  key  when  until when it holds
 *   sends    lease  when
 *   status   lease  what the acknowledgement was answered with
 * </pre>
 */
final class LeaseConsumer {

    static final String HANDLED = "handled";
    static final String SENDS = "sends";
    static final String STATUS = "status";

    private static final long REST_MS = 50;

    private final HttpCalls calls;
    private final BufferedWriter ledger;
    private final SplittableRandom random = new SplittableRandom();
    private final String request;
    private final String queue;
    private final int workMs;
    private volatile boolean ending;

    private LeaseConsumer(Options options) throws IOException {
        calls = new HttpCalls(Loopback.port(options.number("port", 0)));
        ledger = Files.newBufferedWriter(Path.of(options.text("ledger", "")), UTF_8);
        queue = options.text("queue", "");
        workMs = options.number("work-ms", 0);
        request = "{\"max\":%d,\"wait\":\"1s\",\"ttl\":\"%dms\"}"
                .formatted(options.number("max", 0), options.number("ttl-ms", 0));
        options.refuseUnused();
    }

    public static void main(String[] arguments) throws Exception {
        LeaseConsumer consumer = new LeaseConsumer(new Options(Arrays.asList(arguments)));
        Thread input = new Thread(consumer::awaitEnd, "input");
        input.setDaemon(true);
        input.start();
        consumer.run();
    }

    private void awaitEnd() {
        try {
            if (System.in.read() < 0) {
                ending = true;
            }
        } catch (IOException e) {
            ending = true;
        }
    }

    private void run() throws IOException, InterruptedException {
        List<String> unanswered = new ArrayList<>();
        while (!ending || !unanswered.isEmpty()) {
            try {
                if (unanswered.isEmpty()) {
                    unanswered.addAll(lease());
                    Thread.sleep(random.nextInt(workMs + 1));
                }
                if (!unanswered.isEmpty()) {
                    acknowledge(unanswered);
                    unanswered.clear();
                }
            } catch (IOException away) {
                // What it holds is acknowledged once more when the server is there again.
                Thread.sleep(REST_MS);
            }
        }
        ledger.close();
    }

    private List<String> lease() throws IOException {
        String body = calls.post("/v1/queues/" + queue + "/leases", request)
                .expect(200)
                .body();
        List<String> leases = Json.texts(body, "lease");
        List<String> keys = Json.texts(body, "key");
        List<String> ends = Json.texts(body, "expiresAt");
        long nowMs = System.currentTimeMillis();
        for (int i = 0; i < leases.size(); i++) {
            write(
                    HANDLED,
                    leases.get(i),
                    keys.get(i),
                    nowMs,
                    Instant.parse(ends.get(i)).toEpochMilli());
        }
        ledger.flush();
        return leases;
    }

    private void acknowledge(List<String> leases) throws IOException {
        long nowMs = System.currentTimeMillis();
        for (String lease : leases) {
            write(SENDS, lease, nowMs);
        }
        ledger.flush();
        String body = leases.stream().collect(Collectors.joining("\",\"", "{\"leases\":[\"", "\"]}"));
        String results = calls.post("/v1/leases:ack", body).expect(200).body();
        List<Long> statuses = Json.numbers(results, "status");
        if (statuses.size() != leases.size()) {
            throw new IllegalStateException(leases.size() + " leases were answered with " + results);
        }
        for (int i = 0; i < leases.size(); i++) {
            write(STATUS, leases.get(i), statuses.get(i));
        }
        ledger.flush();
    }

    private void write(Object... words) throws IOException {
        ledger.write(Arrays.stream(words).map(Object::toString).collect(Collectors.joining("\t")));
        ledger.write('\n');
    }
}
