package io.tickwheel.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A consumer that waits for leases. Owned by the loop, but for its request and its future. */
final class Poll extends Alarms.Alarm {

    /** Of larger contents a poll gets fewer than it wants: one at least, and no more once it has so much, in bytes. */
    static final int ENOUGH_BYTES = 4 << 20;

    final LeaseRequest request;
    final CompletableFuture<List<Lease>> future = new CompletableFuture<>();

    /** What it gets, in the order of the grants. */
    final List<HeldLease> gathered = new ArrayList<>();

    private long bytes;

    /** The queue in which it waits; null before and after. */
    @Nullable
    PulledQueue queue;

    /** Whether its wait is over. */
    boolean ending;

    private @Nullable Consumer<Poll> rings;

    Poll(LeaseRequest request) {
        this.request = request;
    }

    /** @param whoRings what is done when the time of this poll has come */
    void enter(PulledQueue waitsIn, Consumer<Poll> whoRings) {
        queue = waitsIn;
        rings = whoRings;
    }

    void gather(HeldLease lease) {
        gathered.add(lease);
        bytes += lease.attempt.attempt.payload().length;
    }

    boolean isFull() {
        return gathered.size() == request.max() || bytes >= ENOUGH_BYTES;
    }

    /** How many more it wants. */
    int wanted() {
        return request.max() - gathered.size();
    }

    @Override
    void ring() {
        if (rings != null) {
            rings.accept(this);
        }
    }
}
