package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.RedisTimerStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A node of {@link RollingProgram}: schedules at a steady rate and handles what is due, until it is told to be quiet, and closes when its
 * input ends. Then it leaves a file with what was accepted and what it has delivered.
 */
final class RollingChild {

    private static final String QUEUE = "orders";
    private static final byte[] PAYLOAD = new byte[100];

    private final Queue<String> notes = new ConcurrentLinkedQueue<>();
    private final AtomicInteger number = new AtomicInteger();
    private final ScheduledExecutorService load = Executors.newSingleThreadScheduledExecutor();
    private final Tickwheel engine;
    private final String name;
    private final long aheadMs;

    private RollingChild(Options options) {
        name = options.text("name", "");
        aheadMs = options.number("ahead-ms", 0);
        engine = Tickwheel.open(RedisTimerStore.at(RedisAddress.single(options.text("redis", ""))));
        engine.handle(
                QUEUE,
                attempt -> notes.add("delivered\t" + attempt.key() + "\t"
                        + ChronoUnit.MICROS.between(attempt.dueAt(), Instant.now())));
    }

    public static void main(String[] arguments) throws Exception {
        Options options = new Options(Arrays.asList(arguments));
        RollingChild child = new RollingChild(options);
        child.run(options.number("rate", 0));
        Files.write(Path.of(options.text("file", "")), child.notes, UTF_8);
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private void run(int rate) throws IOException, InterruptedException {
        var unused = load.scheduleAtFixedRate(this::schedule, 0, 1_000_000_000L / rate, TimeUnit.NANOSECONDS);
        System.out.println(RollingProgram.READY);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        while (in.readLine() != null) {
            load.shutdown();
        }
        load.shutdown();
        load.awaitTermination(1, TimeUnit.MINUTES);
        engine.close();
    }

    private void schedule() {
        String key = name + "-" + number.incrementAndGet();
        Instant dueAt = Instant.now().plusMillis(aheadMs);
        var unused = engine.schedule(QUEUE, key, dueAt, PAYLOAD)
                .thenAccept(answer -> notes.add("accepted\t" + key + "\t" + dueAt.toEpochMilli()));
    }
}
