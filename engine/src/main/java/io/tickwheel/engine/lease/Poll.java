package io.tickwheel.engine.lease;

import io.tickwheel.engine.Lease;
import io.tickwheel.engine.LeaseRequest;
import io.tickwheel.engine.inbox.Alarms;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A consumer that waits for leases. Owned by the loop, but for its request, its future and {@link #isAnswered}. */
public final class Poll extends Alarms.Alarm {

    /** Of larger contents a poll gets fewer than it wants: one at least, and no more once it has so much, in bytes. */
    public static final int ENOUGH_BYTES = 4 << 20;

    public final LeaseRequest request;
    public final CompletableFuture<List<Lease>> future = new CompletableFuture<>();

    /** What it gets, in the order of the grants. */
    final List<HeldLease> gathered = new ArrayList<>();

    /** What other nodes have lent it. */
    final List<Lease> lent = new ArrayList<>();

    /** Takes the leases, when another node has asked; null when the future does. */
    final @Nullable Consumer<List<Lease>> taker;

    private final int enoughBytes;
    private long bytes;

    /** The queue in which it waits; null before and after. */
    @Nullable
    PulledQueue queue;

    /** Whether its wait is over. */
    boolean ending;

    private volatile boolean answered;

    private @Nullable Consumer<Poll> rings;

    public Poll(LeaseRequest request) {
        this.request = request;
        this.enoughBytes = ENOUGH_BYTES;
        this.taker = null;
    }

    /**
     * That of another node.
     *
     * @param enoughBytes in place of {@link #ENOUGH_BYTES}
     * @param taker takes the leases
     */
    public Poll(LeaseRequest request, int enoughBytes, Consumer<List<Lease>> taker) {
        this.request = request;
        this.enoughBytes = enoughBytes;
        this.taker = taker;
    }

    /** @param whoRings what is done when the time of this poll has come */
    void enter(PulledQueue waitsIn, Consumer<Poll> whoRings) {
        queue = waitsIn;
        rings = whoRings;
    }

    void gather(HeldLease lease) {
        gathered.add(lease);
        bytes += lease.attempt.attempt().payload().length;
    }

    void gather(Lease lease) {
        lent.add(lease);
        bytes += lease.attempt().payload().length;
    }

    boolean isEmpty() {
        return gathered.isEmpty() && lent.isEmpty();
    }

    boolean isFull() {
        return wanted() == 0 || bytes >= enoughBytes;
    }

    /** Whether a consumer of this node waits, and not another node. */
    boolean isOwn() {
        return taker == null;
    }

    /** Takes note that what it gets is on its way to its future. */
    void answer() {
        answered = true;
    }

    /** Whether what completes its future may be its answer; else somebody else has completed it. Any thread may ask. */
    public boolean isAnswered() {
        return answered;
    }

    /** How many more it wants. */
    int wanted() {
        return request.max() - gathered.size() - lent.size();
    }

    @Override
    public void ring() {
        if (rings != null) {
            rings.accept(this);
        }
    }
}
