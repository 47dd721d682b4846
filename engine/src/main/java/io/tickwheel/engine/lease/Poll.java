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
    private boolean lasts;
    private long sinceNanos;

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

    /** @param sinceNanos a moment before that in which the other node gave it */
    void gather(Lease lease, long sinceNanos) {
        lent.add(lease);
        bytes += lease.attempt().payload().length;
        last(sinceNanos);
    }

    private void last(long fromNanos) {
        if (!lasts || fromNanos - sinceNanos < 0) {
            lasts = true;
            sinceNanos = fromNanos;
        }
    }

    /** Since when what it was answered with lasts, in nanoseconds of the monotonic clock: the leases of other nodes perhaps a moment longer. */
    long sinceNanos() {
        return sinceNanos;
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

    /** Takes note that what it gets is on its way to its future, and lasts from now on, or since others have given it. */
    void answer(long nowNanos) {
        last(nowNanos);
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
