package io.tickwheel.benchmarks.power;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One client with keys of its own: gives bursts of commands for different keys and waits for all answers of a burst, until a
 * command fails.
 */
final class LoadClient implements Runnable {

    /** Due times are up to this far away, or at least {@link #FAR_MS}. */
    static final long NEAR_MS = 12_000;

    static final long FAR_MS = TimeUnit.HOURS.toMillis(1);
    private static final long FARTHEST_MS = TimeUnit.DAYS.toMillis(400);

    private static final int MAX_BURST = 48;
    private static final int RECENT_KEYS = 400;
    private static final int LONGEST_PAUSE_MS = 12;

    private final String name;
    private final StoreUnderTest store;
    private final SplittableRandom random;
    /** The keys to choose from, with the due times that were asked for: no two timers of a key have the same. */
    private final Map<String, Set<Long>> dueTimes = new HashMap<>();

    private final List<String> recent = new ArrayList<>();
    private int made;

    LoadClient(String name, StoreUnderTest store, SplittableRandom random) {
        this.name = name;
        this.store = store;
        this.random = random;
    }

    /** Gives it a key that an earlier process made. */
    void inherit(String key, List<Long> dueTimesOfKey) {
        remember(key);
        dueTimes.put(key, new HashSet<>(dueTimesOfKey));
    }

    @Override
    public void run() {
        boolean answered = true;
        while (answered && store.isRunning()) {
            answered = burst();
            try {
                TimeUnit.MILLISECONDS.sleep(random.nextInt(LONGEST_PAUSE_MS));
            } catch (InterruptedException e) {
                // The load is over: this client just ends.
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private boolean burst() {
        Map<String, CompletableFuture<Boolean>> answers = new LinkedHashMap<>();
        for (int i = random.nextInt(MAX_BURST); i >= 0; i--) {
            int what = recent.isEmpty() ? 0 : random.nextInt(100);
            String key = what < 50 ? name + "-" + made : recent.get(random.nextInt(recent.size()));
            if (answers.containsKey(key)) {
                continue;
            }
            if (what < 50) {
                remember(key);
                answers.put(key, schedule(key));
            } else if (what < 68) {
                answers.put(key, schedule(key));
            } else if (what < 90) {
                answers.put(key, store.cancel(key));
            } else {
                answers.put(key, store.find(key, found -> {}));
            }
        }
        boolean all = true;
        for (CompletableFuture<Boolean> answer : answers.values()) {
            all &= answer.join();
        }
        return all;
    }

    private CompletableFuture<Boolean> schedule(String key) {
        long dueAtMs = System.currentTimeMillis() + delayMs();
        Set<Long> taken = dueTimes.computeIfAbsent(key, k -> new HashSet<>());
        while (!taken.add(dueAtMs)) {
            dueAtMs++;
        }
        return store.schedule(key, name + "." + made++, dueAtMs);
    }

    private long delayMs() {
        int kind = random.nextInt(100);
        if (kind < 8) {
            return random.nextLong(FAR_MS, FARTHEST_MS);
        }
        return kind < 30 ? random.nextLong(NEAR_MS) : random.nextLong(1_500);
    }

    private void remember(String key) {
        recent.add(key);
        if (recent.size() > RECENT_KEYS) {
            int last = recent.size() - 1;
            Collections.swap(recent, random.nextInt(last), last);
            dueTimes.remove(recent.remove(last));
        }
    }
}
