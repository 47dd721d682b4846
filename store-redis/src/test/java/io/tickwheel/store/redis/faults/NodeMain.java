package io.tickwheel.store.redis.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A node of a fault test as a process of its own. Words of a {@link NodeSetup} come as arguments, commands as lines:
 *
 * <pre>
 * schedule n key token dueAtMs | cancel n key | die phase key | free
 * </pre>
 *
 * and it prints what happens: {@code ready}, {@code answer n ...}, {@code delivered ...}, {@code handled ...},
 * {@code stalled fromMs toMs}, {@code failed cause}, {@code dying phase key}. It ends in an orderly way at SIGTERM, and at once when its input ends.
 */
final class NodeMain implements NodeReports {

    private static final int DIED = 9;
    private static final int NOT_OPENED = 3;

    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private volatile String deadly = "";

    private NodeMain() {}

    public static void main(String[] words) throws IOException {
        new NodeMain().run(NodeSetup.of(words));
    }

    private void run(NodeSetup setup) throws IOException {
        NodeEngine engine;
        try {
            engine = new NodeEngine(setup, this, NodeEngine.MANY_ATTEMPTS);
        } catch (RuntimeException e) {
            say("refused " + e);
            Runtime.getRuntime().halt(NOT_OPENED);
            return;
        }
        Runtime.getRuntime().addShutdownHook(new Thread(engine::close, "close"));
        engine.handle();
        say("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            obey(engine, List.of(line.split(" ", -1)));
        }
        Runtime.getRuntime().halt(DIED);
    }

    private void obey(NodeEngine engine, List<String> words) {
        switch (words.get(0)) {
            case "schedule" -> answer(words, engine.schedule(words.get(2), words.get(3), Long.parseLong(words.get(4))));
            case "cancel" -> answer(words, engine.cancel(words.get(2)));
            case "die" -> deadly = words.get(1) + " " + words.get(2);
            case "free" -> engine.free();
            default -> throw new IllegalArgumentException("no such command: " + words);
        }
    }

    private void answer(List<String> words, CompletableFuture<FaultAnswer> future) {
        CompletableFuture<Void> unused =
                future.thenAccept(answer -> say("answer " + words.get(1) + " " + answer.text()));
    }

    /** A line is written at once: what was said before the process is killed is heard. */
    private synchronized void say(String line) {
        out.println(line);
    }

    @Override
    public void delivered(FaultDelivery delivery) {
        say("delivered " + delivery.text());
    }

    @Override
    public void handled(FaultDelivery delivery) {
        say("handled " + delivery.text());
    }

    @Override
    public void reached(NodePhase phase, String key) {
        if (deadly.equals(phase + " " + key)) {
            say("dying " + deadly);
            Runtime.getRuntime().halt(DIED);
        }
    }

    @Override
    public void failed(String node, String cause) {
        say("failed " + cause.replace('\n', ' '));
    }

    @Override
    public void stalled(String node, long fromMs, long toMs) {
        say("stalled " + fromMs + " " + toMs);
    }
}
