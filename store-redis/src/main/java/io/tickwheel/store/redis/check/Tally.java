package io.tickwheel.store.redis.check;

import java.util.ArrayList;
import java.util.List;

/** What was counted and found so far in a namespace that is verified. For one thread. */
final class Tally {

    private final int partitions;
    long pending;
    long claimed;
    long dead;
    long finished;
    long slices;
    long nearInserts;
    long idleNearInserts;
    int restless;
    private final int mostFound;
    private final List<Contradiction> found = new ArrayList<>();
    private long moreFound;

    /** @param mostFound how many contradictions are kept; others are only counted */
    Tally(int partitions, int mostFound) {
        this.partitions = partitions;
        this.mostFound = mostFound;
    }

    void found(Contradiction contradiction) {
        if (found.size() < mostFound) {
            found.add(contradiction);
        } else {
            moreFound++;
        }
    }

    CheckResult result() {
        return new CheckResult(
                partitions,
                pending,
                claimed,
                dead,
                finished,
                slices,
                nearInserts,
                idleNearInserts,
                restless,
                List.copyOf(found),
                moreFound);
    }
}
