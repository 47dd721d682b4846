package io.tickwheel.benchmarks.power;

import io.tickwheel.benchmarks.Options;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * What {@code testkit/power-cut} starts, one process each: {@code load} until the power is cut, {@code heal} at the end, and
 * {@code judge}.
 */
public final class PowerCut {

    private static final int BROKEN = 1;
    private static final int USAGE = 64;
    private static final int REFUSED = 65;

    private static final int CLIENTS = 8;
    /** A script that died leaves nothing running for long. */
    private static final long LONGEST_LOAD_SECONDS = 120;

    private static final long PATIENCE_MS = 60_000;
    /** After the last delivery: for what must not come any more. */
    private static final long SILENCE_MS = 1_000;

    private final Path data;
    private final Path ledgerFile;
    private final long seed;

    private PowerCut(Options options) {
        data = Path.of(options.text("data", "data"));
        ledgerFile = Path.of(options.text("ledger", "ledger"));
        seed = options.number("seed", 1);
        options.refuseUnused();
    }

    /** Runs the program named by the first argument; returns the exit code. */
    public static int run(List<String> arguments) throws IOException, InterruptedException {
        if (arguments.isEmpty()) {
            System.err.println("one of load, heal, judge is missing");
            return USAGE;
        }
        PowerCut run = new PowerCut(new Options(arguments.subList(1, arguments.size())));
        return switch (arguments.get(0)) {
            case "load" -> run.load();
            case "heal" -> run.heal();
            case "judge" -> run.judge();
            default -> {
                System.err.println("no program " + arguments.get(0));
                yield USAGE;
            }
        };
    }

    private int load() throws IOException, InterruptedException {
        History history = Ledger.read(ledgerFile);
        try (Ledger ledger = new Ledger(ledgerFile)) {
            StoreUnderTest store = StoreUnderTest.open(data, ledger);
            List<LoadClient> clients = clients(store, history);
            List<TimerView> live = store.lookAt(history.openKeys());
            for (TimerView timer : live) {
                String key = timer.key().key();
                clients.get(Math.floorMod(key.hashCode(), CLIENTS)).inherit(key, history.dueTimesOf(key));
            }
            store.deliver();
            for (LoadClient client : clients) {
                Thread thread = new Thread(client, "load-client");
                thread.setDaemon(true);
                thread.start();
            }
            TimeUnit.SECONDS.sleep(LONGEST_LOAD_SECONDS);
            throw new IllegalStateException("nobody cut the power");
        } catch (StoreException e) {
            return refused(e);
        }
    }

    private List<LoadClient> clients(StoreUnderTest store, History history) {
        SplittableRandom random = new SplittableRandom(seed);
        List<LoadClient> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(new LoadClient((history.lifetime() + 1) + "." + i, store, random.split()));
        }
        return clients;
    }

    /** Delivers all that is due, looks at all that is left, closes, and looks again. */
    private int heal() throws IOException, InterruptedException {
        List<String> keys = Ledger.read(ledgerFile).openKeys();
        try (Ledger ledger = new Ledger(ledgerFile)) {
            try (StoreUnderTest store = StoreUnderTest.open(data, ledger)) {
                deliverAll(store, keys);
                ledger.write("healed", System.currentTimeMillis());
                store.lookAt(Ledger.read(ledgerFile).openKeys());
            }
            try (StoreUnderTest store = StoreUnderTest.open(data, ledger)) {
                store.lookAt(Ledger.read(ledgerFile).openKeys());
            }
            return 0;
        } catch (StoreException e) {
            return refused(e);
        }
    }

    private static void deliverAll(StoreUnderTest store, List<String> keys) throws InterruptedException {
        long farFromMs = System.currentTimeMillis() + LoadClient.FAR_MS / 2;
        long far = store.lookAt(keys).stream()
                .filter(timer -> timer.dueAtMs() > farFromMs)
                .count();
        store.deliver();
        long patienceEndsMs = System.currentTimeMillis() + PATIENCE_MS;
        while (store.liveCount() > far && System.currentTimeMillis() < patienceEndsMs) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
        TimeUnit.MILLISECONDS.sleep(SILENCE_MS);
    }

    private int refused(StoreException why) throws IOException {
        try (Ledger ledger = new Ledger(ledgerFile)) {
            ledger.write("refused", why);
        }
        System.err.println("the store does not open: " + why);
        return REFUSED;
    }

    private int judge() throws IOException {
        History history = Ledger.read(ledgerFile);
        String counts = history.conclude();
        System.out.println("  " + history.circumstances());
        System.out.println("  " + counts);
        System.out.println("  " + history.verdict().summary());
        history.verdict().examples().forEach(example -> System.out.println("  " + example));
        return history.verdict().isClean() && history.isHealed() ? 0 : BROKEN;
    }
}
