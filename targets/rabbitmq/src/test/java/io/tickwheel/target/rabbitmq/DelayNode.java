package io.tickwheel.target.rabbitmq;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Source;
import io.tickwheel.engine.SourceOptions;
import io.tickwheel.engine.Target;
import io.tickwheel.engine.TargetOptions;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.file.FileTimerStore;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;

/** A process with an engine, the target and the source, to be killed: {@code DIRECTORY PORT}. A line on its input cancels the timer of that key; it ends with its input. */
final class DelayNode {

    private DelayNode() {}

    public static void main(String[] args) throws IOException {
        Map<String, String> port = Map.of("host", "127.0.0.1", "port", args[1]);
        Target target = new RabbitmqTargetKind().open(new TargetOptions(Clock.system(), 2_048, port));
        Tickwheel timers = Tickwheel.builder(FileTimerStore.in(Path.of(args[0])))
                .target("rabbitmq", target)
                .retry(RetryPolicy.exponential(1_000, Duration.ofSeconds(1)))
                .open();
        Map<String, String> settings = Map.of("port", args[1], "exchanges", "shop.delayed=shop");
        Source source = new RabbitmqSourceKind()
                .open(new SourceOptions(Clock.system(), new SecureRandom()::nextLong, settings), timers);
        StringBuilder key = new StringBuilder();
        for (int next = System.in.read(); next >= 0; next = System.in.read()) {
            if (next == '\n') {
                System.out.println(
                        timers.cancel("rabbitmq", key.toString()).join().outcome());
                key.setLength(0);
            } else {
                key.append((char) next);
            }
        }
        source.close();
        timers.close();
        target.close();
    }
}
