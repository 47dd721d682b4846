package io.tickwheel.benchmarks.proof;

import io.tickwheel.benchmarks.DataDirectory;
import io.tickwheel.benchmarks.LoadProgram;
import io.tickwheel.benchmarks.Loopback;
import io.tickwheel.benchmarks.Options;
import io.tickwheel.benchmarks.ProcessUsage;
import io.tickwheel.benchmarks.Results;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many timers consumers lease and acknowledge over HTTP in a second, and what a server costs of which many consumers wait for nothing.
 *
 * @param durabilities those of the store for which the rate is measured
 * @param polls consumers that wait
 */
public record LeaseRateProgram(
        int timers,
        int batch,
        int consumers,
        List<String> durabilities,
        int polls,
        int settle,
        int seconds,
        int rounds,
        List<String> parts,
        String serverOptions)
        implements LoadProgram {

    private static final String NAME = "Tickwheel";
    private static final String QUEUE = "pulled";
    private static final int FILL_BATCH = 1_000;
    private static final int POLL_SECONDS = 60;
    private static final int BUSIEST = 6;
    private static final String LEASE = "\"lease\":\"";

    public static LeaseRateProgram of(Options options) {
        LeaseRateProgram program = new LeaseRateProgram(
                options.number("timers", 100_000),
                options.number("batch", 100),
                options.number("consumers", 4),
                options.list("durabilities", "sync,none"),
                options.number("polls", 2_000),
                options.number("settle", 15),
                options.number("seconds", 20),
                options.number("rounds", 3),
                options.list("parts", "rate,polls"),
                options.text("server-options", ""));
        if (program.timers % FILL_BATCH != 0) {
            throw new IllegalArgumentException("--timers is " + program.timers + ", must be in whole thousands");
        }
        if (!List.of("rate", "polls").containsAll(program.parts)) {
            throw new IllegalArgumentException("--parts is " + program.parts + ", must be of rate,polls");
        }
        if (program.settle + program.seconds >= POLL_SECONDS) {
            throw new IllegalArgumentException("--settle and --seconds are " + (program.settle + program.seconds)
                    + " together, must be less than the " + POLL_SECONDS + " of a poll");
        }
        return program;
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "%,d timers that are due, leased and acknowledged by %d connections in batches of %d, by the durability of the store on files.%n"
                        + "%,d consumers that wait for 60 s: after %d s of rest, the server is watched for %d s.%n%n",
                timers, consumers, batch, polls, settle, seconds);
        Results results = new Results(NAME);
        results.startCounting();
        if (parts.contains("rate")) {
            for (String durability : durabilities) {
                Path directory = data.fresh("lease-rate");
                try (Node node = new Node(directory, "server", Node.onFiles(directory, durability), serverOptions)) {
                    rate(node, durability, results);
                }
            }
        }
        if (parts.contains("polls")) {
            Path directory = data.fresh("lease-rate");
            try (Node node = new Node(directory, "server", Node.onFiles(directory, "sync"), serverOptions)) {
                polls(node, results);
            }
        }
        DataDirectory.delete(data.fresh("lease-rate"));
        results.print();
    }

    /** The first round warms up. */
    private void rate(Node node, String durability, Results results) throws Exception {
        for (int round = 0; round <= rounds; round++) {
            fill(node, round);
            AtomicInteger left = new AtomicInteger(timers);
            ExecutorService threads = Executors.newFixedThreadPool(consumers);
            ProcessUsage before = node.process().usage();
            long startNanos = System.nanoTime();
            try {
                List<Future<?>> running = new ArrayList<>();
                for (int i = 0; i < consumers; i++) {
                    running.add(threads.submit(() -> {
                        consume(node, left);
                        return null;
                    }));
                }
                for (Future<?> each : running) {
                    each.get();
                }
            } finally {
                threads.shutdownNow();
            }
            long nanos = System.nanoTime() - startNanos;
            long cpuNanos = node.process().usage().since(before).cpuNanos();
            if (round == 0) {
                continue;
            }
            results.add("leased and acknowledged/s, " + durability, NAME, timers * 1e9 / nanos);
            results.add("CPU of the server, us a timer, " + durability, NAME, cpuNanos / 1e3 / timers);
        }
    }

    private void fill(Node node, int round) throws IOException {
        try (HttpCalls calls = new HttpCalls(node.address())) {
            for (int from = 0; from < timers; from += FILL_BATCH) {
                StringBuilder lines = new StringBuilder();
                for (int i = from; i < from + FILL_BATCH; i++) {
                    lines.append(
                            "{\"key\":\"r%d-%d\",\"delay\":\"0s\",\"payload\":\"%0100d\"}%n".formatted(round, i, i));
                }
                calls.batch(QUEUE, lines.toString(), FILL_BATCH);
            }
        }
    }

    private void consume(Node node, AtomicInteger left) throws IOException {
        String request = "{\"max\":" + batch + ",\"wait\":\"1s\",\"ttl\":\"60s\"}";
        try (HttpCalls calls = new HttpCalls(node.address())) {
            while (left.get() > 0) {
                String leases = calls.post("/v1/queues/" + QUEUE + "/leases", request)
                        .expect(200)
                        .body();
                StringBuilder body = new StringBuilder("{\"leases\":[");
                int count = 0;
                for (int at = leases.indexOf(LEASE); at >= 0; at = leases.indexOf(LEASE, at + 1)) {
                    int from = at + LEASE.length();
                    body.append(count++ == 0 ? "\"" : ",\"").append(leases, from, leases.indexOf('"', from) + 1);
                }
                if (count > 0) {
                    String results = calls.post(
                                    "/v1/leases:ack", body.append("]}").toString())
                            .expect(200)
                            .body();
                    if (results.contains("\"status\":410")) {
                        throw new IOException("an acknowledgement was refused: " + results);
                    }
                    left.addAndGet(-count);
                }
            }
        }
    }

    private void polls(Node node, Results results) throws IOException, InterruptedException {
        List<SocketChannel> waiting = new ArrayList<>();
        try {
            String body = "{\"max\":100,\"wait\":\"60s\"}";
            byte[] request = ("POST /v1/queues/empty/leases HTTP/1.1\r\nHost: " + Loopback.authority(node.address())
                            + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n"
                            + body)
                    .getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < polls; i++) {
                SocketChannel channel = SocketChannel.open(node.address());
                waiting.add(channel);
                channel.write(ByteBuffer.wrap(request));
            }
            TimeUnit.SECONDS.sleep(settle);
            int watches = Math.min(rounds, (POLL_SECONDS - 1 - settle) / seconds);
            for (int watch = 1; watch <= watches; watch++) {
                ProcessUsage before = node.process().usage();
                long startNanos = System.nanoTime();
                TimeUnit.SECONDS.sleep(seconds);
                ProcessUsage used = node.process().usage().since(before);
                long nanos = System.nanoTime() - startNanos;
                results.add("%% of a core beside %,d polls".formatted(polls), NAME, 100.0 * used.cpuNanos() / nanos);
                System.out.println("  server threads, of a core: " + used.busiest(BUSIEST, nanos));
            }
            for (SocketChannel each : waiting) {
                each.configureBlocking(false);
                if (each.read(ByteBuffer.allocate(1)) != 0) {
                    throw new IOException("a poll was answered before its time");
                }
            }
        } finally {
            for (SocketChannel each : waiting) {
                each.close();
            }
        }
    }
}
