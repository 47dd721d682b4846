package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.store.redis.RedisAddress;
import io.tickwheel.store.redis.RedisTimerStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A node of {@link LimitsProgram}: schedules timers that are due, handles them once it is told to, and leaves a file with the times at which attempts began and
 * ended when its input ends.
 */
final class LimitsChild {

    private static final String QUEUE = "limited";
    private static final int WINDOW = 1_000;

    private final Queue<String> runs = new ConcurrentLinkedQueue<>();
    private final Tickwheel engine;
    private final int lastsMs;

    private LimitsChild(Options options) {
        lastsMs = options.number("lasts-ms", 0);
        QueueSettings settings = QueueSettings.NONE.withRate(RateLimit.of(options.number("rate", 1)));
        int concurrency = options.number("concurrency", 0);
        engine = Tickwheel.builder(RedisTimerStore.at(RedisAddress.single(options.text("redis", ""))))
                .queue(QUEUE, concurrency == 0 ? settings : settings.withConcurrency(concurrency))
                .open();
    }

    public static void main(String[] arguments) throws Exception {
        Options options = new Options(Arrays.asList(arguments));
        LimitsChild child = new LimitsChild(options);
        child.run(options.text("name", ""), options.number("timers", 0));
        Files.write(Path.of(options.text("file", "")), child.runs, UTF_8);
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private void run(String name, int timers) throws IOException {
        Instant now = Instant.now();
        Outstanding outstanding = new Outstanding(WINDOW);
        for (int i = 0; i < timers; i++) {
            outstanding.add(engine.schedule(TimerRequest.at(QUEUE, name + "-" + i, now)));
        }
        outstanding.join();
        System.out.println(LimitsProgram.READY);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        if (in.readLine() != null) {
            engine.handle(QUEUE, this::handle);
            while (in.readLine() != null) {
                // There is nothing else to be told.
            }
        }
        engine.close();
    }

    private void handle(Attempt attempt) throws InterruptedException {
        long fromMs = System.currentTimeMillis();
        if (lastsMs > 0) {
            Thread.sleep(lastsMs);
        }
        runs.add(fromMs + "\t" + System.currentTimeMillis());
    }
}
