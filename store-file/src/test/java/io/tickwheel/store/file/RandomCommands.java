package io.tickwheel.store.file;

import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.OnConflict;
import java.util.SplittableRandom;

/** Random commands to one store, over a time that leaps. All choices come from the seed of the store. */
final class RandomCommands {

    private static final long DAY_MS = 24 * CanonicalScript.HOUR_MS;

    /** The reach of due times, and of the leaps of time. */
    private static final long[] SPANS_MS = {20_000, 20_000_000, 3 * DAY_MS, 100 * DAY_MS, 3_650 * DAY_MS};

    private final Workload workload;
    private final SplittableRandom random;
    private final int largestContent;
    private long nowMs;

    RandomCommands(SimulatedStore store, Workload workload) {
        this.workload = workload;
        random = store.random;
        // Now and then so large that a snapshot takes several pieces, and commands come between them.
        largestContent = random.nextInt(16) == 0 ? 60_000 : 500;
        nowMs = random.nextInt(8) == 0 ? 4_000_000_000_000L : 0;
    }

    void load() {
        workload.load(nowMs, nowMs + CanonicalScript.HOUR_MS);
    }

    void endAnyClaim() {
        workload.endAnyClaim(nowMs);
    }

    void next() {
        int key = random.nextInt(Workload.KEYS);
        int draw = random.nextInt(28);
        if (random.nextInt(12) == 0) {
            workload.mean(key);
        }
        if (draw < 7) {
            OnConflict[] rules = OnConflict.values();
            OnConflict rule = random.nextInt(3) == 0 ? rules[random.nextInt(rules.length)] : OnConflict.REPLACE;
            workload.schedule(key, dueAfter(nowMs, random), random.nextInt(largestContent), rule);
        } else if (draw < 9) {
            workload.cancel(key);
        } else if (draw < 11) {
            workload.find(key);
        } else if (draw < 15) {
            workload.claimAny();
        } else if (draw < 19) {
            if (random.nextInt(4) == 0) {
                workload.spawnAny(nowMs);
            } else {
                endAnyClaim();
            }
        } else if (draw < 20) {
            workload.suspendOrResumeAny();
        } else if (draw < 22) {
            workload.unloadAny();
        } else if (draw < 24) {
            workload.changeAny(ChangeCommand.Change.RESCHEDULE, dueAfter(nowMs, random), 0);
        } else if (draw < 26) {
            int contentBytes = random.nextBoolean() ? 0 : random.nextInt(largestContent);
            workload.changeAny(anyOfDead(), dueAfter(nowMs, random), contentBytes);
        } else if (draw < 27) {
            workload.completeAny();
        } else {
            nowMs += span(random);
            load();
        }
    }

    private ChangeCommand.Change anyOfDead() {
        return random.nextInt(3) == 0 ? ChangeCommand.Change.PURGE : ChangeCommand.Change.REDRIVE;
    }

    static long dueAfter(long nowMs, SplittableRandom random) {
        return nowMs + span(random);
    }

    private static long span(SplittableRandom random) {
        return random.nextLong(SPANS_MS[random.nextInt(SPANS_MS.length)]);
    }
}
