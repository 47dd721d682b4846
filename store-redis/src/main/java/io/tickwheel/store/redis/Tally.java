package io.tickwheel.store.redis;

import java.util.ArrayList;
import java.util.List;

/** What was counted and found so far in a namespace that is verified. For one thread. */
final class Tally {

    final int partitions;
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

    /** The first contradictions. */
    List<Contradiction> found() {
        return List.copyOf(found);
    }

    /** How many there are beside these. */
    long moreFound() {
        return moreFound;
    }
}
