package io.tickwheel.server.crash;

import io.tickwheel.redis.testkit.LoopbackPorts;
import io.tickwheel.redis.testkit.Patience;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A run of the crash test: the server is killed in every round at a random moment under load, and in a third of the
 * restarts once more while it starts. Then it is left alone until everything that was accepted has come.
 */
final class CrashRun implements AutoCloseable {

    private static final int LONGEST_START_MS = 1_500;
    private static final int LOOKS_AT_END = 250;
    /** After the last due time: for what should come and is late, and for what should not come at all. */
    private static final long SILENCE_MS = 1_000;

    private static final long PATIENCE_MS = 60_000;

    private final CrashSettings settings;
    private final SplittableRandom random;
    private final Ledger ledger = new Ledger();
    private final CrashLifetimes lifetimes = new CrashLifetimes();
    private final CrashReceiver receiver;
    private final CrashServer server;
    private final CrashHttp http;
    private final ExecutorService threads;
    private final List<CrashClient> clients = new ArrayList<>();
    private final LedgerMoment started = LedgerMoment.now();
    private @Nullable LedgerMoment ready;
    private LedgerMoment down = started;
    private long longestStartMs;
    private long downMs;

    /**
     * @param data where the server keeps its timers
     * @param log where the server's output goes
     */
    CrashRun(CrashSettings settings, Path data, Path log) throws Exception {
        this.settings = settings;
        this.random = new SplittableRandom(settings.seed());
        receiver = new CrashReceiver(lifetimes, ledger);
        int port = LoopbackPorts.next();
        server = new CrashServer(port, data, log);
        http = new CrashHttp(port, receiver.url());
        threads = Executors.newFixedThreadPool(settings.clients(), CrashRun::clientThread);
        for (int i = 0; i < settings.clients(); i++) {
            clients.add(new CrashClient(i, settings, lifetimes, http, ledger));
        }
    }

    /** A daemon: when a run ends in a failure, its clients may wait for a server that never comes. */
    private static Thread clientThread(Runnable client) {
        Thread thread = new Thread(client, "crash-client");
        thread.setDaemon(true);
        return thread;
    }

    /** Plays all rounds, or throws {@link AssertionError} when the run cannot be brought to its end. */
    LedgerReport play() {
        try {
            return playOut();
        } catch (Exception e) {
            throw new AssertionError(circumstances() + "; " + server.tail(), e);
        }
    }

    private LedgerReport playOut() throws Exception {
        List<Future<?>> running = new ArrayList<>();
        for (CrashClient client : clients) {
            running.add(threads.submit(client));
        }
        start();
        for (int round = 0; round < settings.rounds(); round++) {
            work();
            kill();
            lifetimes.shut();
            receiver.awaitQuiet();
            while (random.nextInt(3) == 0) {
                killWhileStarting();
            }
            start();
        }
        clients.forEach(CrashClient::finish);
        for (Future<?> client : running) {
            client.get(settings.maxDelayMs() + PATIENCE_MS, TimeUnit.MILLISECONDS);
        }
        settle();
        clients.forEach(client -> client.lookAround(lifetimes.current(), LOOKS_AT_END / settings.clients()));
        return judge();
    }

    /** What to know beside the report. */
    String circumstances() {
        return String.format(
                Locale.ROOT,
                "%s; %.1f s, of which the server was down %.1f s; longest start %d ms",
                settings,
                LedgerMoment.now().msAfter(started) / 1e3,
                downMs / 1e3,
                longestStartMs);
    }

    String details(LedgerReport report) {
        return circumstances() + "\n" + report.details(ledger::storyOf) + "\n" + server.tail();
    }

    List<String> faults() {
        return ledger.faults();
    }

    private void start() throws IOException {
        lifetimes.next();
        LedgerMoment begun = LedgerMoment.now();
        server.start();
        server.awaitReady(http);
        LedgerMoment now = LedgerMoment.now();
        ready = now;
        longestStartMs = Math.max(longestStartMs, now.msAfter(begun));
        downMs += now.msAfter(down);
        lifetimes.open();
    }

    /** A machine that is slow at the moment still gets its work done before the kill, within bounds. */
    private void work() {
        int requests = ledger.requests() + random.nextInt(settings.requests());
        server.letLive(random.nextInt(settings.uptimeMs()));
        Patience.tryUntil(Duration.ofMillis(3L * settings.uptimeMs()), () -> ledger.requests() >= requests);
    }

    private void kill() {
        down = LedgerMoment.now();
        server.kill();
        ledger.record(new LedgerLifetime(lifetimes.current(), ready, down));
        ready = null;
    }

    private void killWhileStarting() throws IOException {
        lifetimes.next();
        server.start();
        server.letLive(random.nextInt(LONGEST_START_MS));
        LedgerMoment first = down;
        kill();
        down = first;
        receiver.awaitQuiet();
    }

    private void settle() {
        long dueMs = Math.max(0, ledger.lastDueAtMs() - System.currentTimeMillis());
        server.letLive(dueMs + SILENCE_MS);
        Patience.tryUntil(Duration.ofMillis(PATIENCE_MS), () -> judge().number(LedgerViolation.Kind.LOST) == 0);
    }

    private LedgerReport judge() {
        return ledger.check(new LedgerLifetime(lifetimes.current(), ready, null));
    }

    @Override
    public void close() {
        try {
            server.close();
        } finally {
            threads.shutdownNow();
            receiver.close();
        }
    }
}
