package io.tickwheel.examples;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.Durability;
import io.tickwheel.store.file.FileTimerStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A crowd of connections, a tenth of which fall silent, and two real ones, one of them silent. */
final class IdleConnectionsCommand {

    private static final Duration SHORTEST_SILENCE = Duration.ofSeconds(5);

    /** So many heartbeats are expected of a machine that has other things to do, too. */
    private static final int HEARTBEATS_IN_A_SECOND = 5_000;

    private static final Duration BETWEEN_HEARTBEATS = Duration.ofSeconds(1);
    private static final int MOST = 1_000_000;
    private static final int SILENT = 10;

    private final Stage stage;
    private final Tickwheel timers;
    private final int crowd;
    private final Duration longestSilence;
    private final IdleConnections idle;
    private final HeartbeatServer server;
    private final AtomicInteger dropped = new AtomicInteger();

    private IdleConnectionsCommand(Stage stage, Tickwheel timers, int crowd) throws IOException {
        this.stage = stage;
        this.timers = timers;
        this.crowd = crowd;
        longestSilence = SHORTEST_SILENCE.plusSeconds(crowd / HEARTBEATS_IN_A_SECOND);
        idle = new IdleConnections(timers, longestSilence, this::drop);
        server = new HeartbeatServer(idle);
    }

    static void run(Stage stage, List<String> arguments) throws IOException, InterruptedException {
        Arguments.atMost(arguments, 1);
        int crowd = Arguments.number(arguments, 0, "the number of connections", 1_000, MOST);
        // A heartbeat need not wait for the disk.
        FileTimerStore store = FileTimerStore.in(Files.createTempDirectory("tickwheel-example-"))
                .withDurability(Durability.NONE);
        try (Tickwheel timers = Tickwheel.open(store)) {
            new IdleConnectionsCommand(stage, timers, crowd).run();
        }
    }

    private void run() throws IOException, InterruptedException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (server;
                Socket beating = new Socket(loopback, server.port());
                Socket silent = new Socket(loopback, server.port())) {
            awaitDot(beating);
            awaitDot(silent);
            all(0, 1, idle::opened);
            stage.say(crowd + " connections and 2 sockets are open, " + longestSilence.toSeconds()
                    + " s of silence are too long, and every " + SILENT + "th says nothing");
            int silentOnes = (crowd + SILENT - 1) / SILENT + 1;
            while (dropped.get() < silentOnes && !stage.awaitEnd(BETWEEN_HEARTBEATS)) {
                for (int offset = 1; offset < SILENT; offset++) {
                    all(offset, SILENT, idle::heard);
                    beating.getOutputStream().write('h');
                    awaitDot(beating);
                }
                stage.say(timers.stats().changed() + " heartbeats so far, " + dropped + " connections are dropped");
            }
            stage.say("the silent socket is at its end: "
                    + (silent.getInputStream().read() < 0));
            stage.say(timers.liveCount() + " connections are still open");
        }
    }

    /** Does something with every {@code step}th connection, and waits for it. */
    private void all(int first, int step, Function<String, CompletableFuture<?>> action) throws InterruptedException {
        List<CompletableFuture<?>> answers = new ArrayList<>();
        for (int connection = first; connection < crowd; connection += step) {
            answers.add(action.apply("crowd-" + connection));
        }
        Tickwheel.await(CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)));
    }

    private static void awaitDot(Socket socket) throws IOException {
        if (socket.getInputStream().read() != '.') {
            throw new IOException("a connection was dropped although it was not silent");
        }
    }

    private void drop(String connection) {
        server.drop(connection);
        dropped.incrementAndGet();
    }
}
