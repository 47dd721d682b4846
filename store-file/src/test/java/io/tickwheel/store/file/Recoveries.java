package io.tickwheel.store.file;

import io.tickwheel.store.OnConflict;

/** What comes after a crash. */
final class Recoveries {

    private Recoveries() {}

    /** Opens the store, crashing again within it one time in four, and checks it. */
    static void recover(SimulatedStore store, Workload workload) {
        boolean open = false;
        while (!open) {
            if (store.random.nextInt(4) == 0) {
                store.crashAfter(store.random.nextInt(40), store.anyKind());
            }
            try {
                workload.open();
                open = true;
            } catch (SimulatedStore.Died again) {
                store.crash(store.anyKind());
            }
        }
        store.disk.heal();
        workload.check();
    }

    /** As {@link #recover}; then the store must take more, and keep it, through a second crash or a restart. */
    static void recoverAndGoOn(SimulatedStore store, Workload workload) {
        recover(store, workload);
        if (store.random.nextInt(4) == 0) {
            store.crash(store.anyKind());
            workload.openAndCheck();
        }
        workload.schedule(store.random.nextInt(Workload.KEYS), 7, 100, OnConflict.REPLACE);
        store.settle();
        if (store.random.nextInt(4) == 0) {
            store.close();
        } else {
            store.crash(store.anyKind());
        }
        workload.openAndCheck();
    }
}
