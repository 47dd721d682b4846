package io.tickwheel.store.file;

import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.OnConflict;

/**
 * The script of the sweeps: two lives with a clean restart between them, in each everything that can be said to a calendar, and
 * enough of it to begin new segments and to make checkpoints. What runs between the commands is drawn from the store's seed.
 */
final class CanonicalScript {

    static final long HOUR_MS = 3_600_000;

    private final SimulatedStore store;
    private final Workload workload;

    CanonicalScript(SimulatedStore store, Workload workload) {
        this.store = store;
        this.workload = workload;
    }

    void run() {
        workload.openAndCheck();
        life(0);
        store.close();
        workload.openAndCheck();
        life(10 * HOUR_MS);
        store.settle();
        store.close();
    }

    private void life(long startMs) {
        workload.load(startMs + HOUR_MS);
        for (int key = 0; key < Workload.KEYS; key++) {
            workload.schedule(key, startMs + key * HOUR_MS / 4, 60 + 30 * key, OnConflict.REPLACE);
            turn();
        }
        workload.load(startMs + 2 * HOUR_MS);
        for (int i = 0; i < 5; i++) {
            workload.claimAny();
            turn();
        }
        store.settle();
        for (int i = 0; i < 5; i++) {
            workload.endAnyClaim(startMs);
            workload.claimAny();
            turn();
        }
        for (int i = 0; i < 3; i++) {
            workload.claimAny();
            store.settle();
            workload.spawnAny(startMs);
            turn();
        }
        for (int key = 1; key < Workload.KEYS; key += 4) {
            workload.cancel(key);
            turn();
        }
        store.settle();
        OnConflict[] rules = OnConflict.values();
        for (int key = 0; key < Workload.KEYS; key++) {
            workload.schedule(key, startMs + 20 * HOUR_MS - key, 250, rules[key % rules.length]);
            workload.find(key);
            turn();
            if (key % 5 == 0) {
                store.settle();
            }
        }
        for (int i = 0; i < 3; i++) {
            workload.changeAny(ChangeCommand.Change.RESCHEDULE, startMs + i * HOUR_MS, 0);
            turn();
            workload.claimAny();
            turn();
            workload.buryAny();
            turn();
            workload.changeAny(
                    i == 1 ? ChangeCommand.Change.PURGE : ChangeCommand.Change.REDRIVE, startMs + i * HOUR_MS, 99 * i);
            turn();
        }
        for (int key = 0; key < Workload.KEYS; key += 2) {
            workload.schedule(key, startMs + key, 400, OnConflict.REPLACE);
            turn();
        }
        for (int i = 0; i < 4; i++) {
            workload.claimAny();
            turn();
            workload.endAnyClaim(startMs);
        }
    }

    private void turn() {
        for (int steps = store.random.nextInt(4); steps > 0; steps--) {
            store.step();
        }
    }
}
