package io.tickwheel.engine.due;

import io.tickwheel.engine.limit.StartGate;
import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The due timers of one {@link Lane}, on their way to their targets, and what its attempts hold of the {@link Credits}. Owned by
 * the loop.
 *
 * <pre>
 *   due --- lately ---> fresh --- after a second ---> aged ---.
 *    '----- long ago -> backlog ------------------------------'--> the older of the two comes first
 * </pre>
 *
 * Each list is in the order in which its timers came, which is about that of their times: aged ones came in time, and older ones
 * of a backlog are loaded later.
 */
public final class DueLane {

    /** An attempt that took less is a quick one, and a lane of which none starts or ends for so long is stalled. */
    static final long QUICK_MS = 1_000;

    /** How many attempts may run at once, when others want some too, of a lane of which nothing is known. */
    static final int FIRST_WINDOW = 4;

    private static final long QUICK_NANOS = QUICK_MS * 1_000_000;
    private static final int KEPT_OF_STALLED = 2;
    private static final int KEPT_OF_HELD_BACK = 16;
    private static final int MOST_WINDOW = 1 << 20;

    public final Lane lane;
    public final QueueCredits credits;

    /** Of its destination. */
    private Health health;

    private final DueList fresh = new DueList();
    private final DueList aged = new DueList();
    private final DueList backlog = new DueList();

    int inFlight;

    /** Attempts that are leased, or claimed for a lease; beside {@link #inFlight}. */
    int leased;

    long bytes;

    /** Whether the lane stands in the round of those that have fresh timers. */
    boolean inFreshRound;

    /** Whether the lane stands in the round of those that have a backlog. */
    boolean inBacklogRound;

    /** The number of its stay among those that are held back, in no round; 0 when it is not there. */
    long stay;

    /** When that stay ends by itself. */
    long stayUntilNanos;

    /** Whether nothing is loaded of the lane until one of its attempts ends. */
    private boolean suspended;

    /** The turn in which its gate refused its timers last. */
    private long refusedInTurn;

    /** How many attempts were asked for so far. */
    private long starts;

    private int window = FIRST_WINDOW;

    /** When the last attempt ended, or the first one started that runs. */
    private long progressNanos;

    /** When the last attempt started or ended, or the first timer came. */
    private long movedNanos;

    public DueLane(Lane lane, QueueCredits credits, Health health) {
        this.lane = lane;
        this.credits = credits;
        this.health = health;
    }

    /** Takes a timer that is due and waits for a credit from now on. */
    public void add(DueTimer due, long nowMs, long nowNanos) {
        due.lane = this;
        if (isIdle()) {
            movedNanos = nowNanos;
        }
        (isFresh(due, nowMs) ? fresh : backlog).addLast(due);
    }

    private static boolean isFresh(DueTimer due, long nowMs) {
        return LoadRoom.Age.of(due.timer.attemptAtMs(), nowMs) != LoadRoom.Age.BACKLOG;
    }

    public boolean hasFresh() {
        return !fresh.isEmpty();
    }

    public boolean hasBacklog() {
        return !aged.isEmpty() || !backlog.isEmpty();
    }

    /** Moves what is no longer fresh to the backlog. */
    public void age(long nowMs) {
        for (DueTimer first = fresh.first(); first != null && !isFresh(first, nowMs); first = fresh.first()) {
            fresh.remove(first);
            aged.addLast(first);
        }
    }

    /** The fresh timer to be claimed next; null when there is none. */
    @Nullable
    DueTimer firstFresh() {
        return fresh.first();
    }

    /** The timer of the backlog to be claimed next; null when there is none. */
    @Nullable
    DueTimer firstOfBacklog() {
        DueTimer late = backlog.first();
        DueTimer old = aged.first();
        if (late == null || old == null) {
            return late == null ? old : late;
        }
        return old.timer.attemptAtMs() < late.timer.attemptAtMs() ? old : late;
    }

    /** How much content the timer has that is claimed next, or the larger of the two that may be; 0 when none waits. */
    public int nextBytes() {
        return Math.max(contentBytes(firstOfBacklog()), contentBytes(fresh.first()));
    }

    private static int contentBytes(@Nullable DueTimer due) {
        return due == null ? 0 : due.timer.contentBytes();
    }

    /** The time of the first attempt that waits; {@link Long#MAX_VALUE} when none does. */
    public long oldestMs() {
        return Math.min(attemptAtMs(firstOfBacklog()), attemptAtMs(fresh.first()));
    }

    private static long attemptAtMs(@Nullable DueTimer due) {
        return due == null ? Long.MAX_VALUE : due.timer.attemptAtMs();
    }

    /** Lets go of the timers that wait, but for the oldest ones. */
    public void forgetAllBut(int kept, Consumer<DueTimer> forgotten) {
        int left = kept;
        for (DueList list : List.of(backlog, aged, fresh)) {
            DueTimer next = list.first();
            while (next != null) {
                DueTimer due = next;
                next = due.next;
                if (left > 0) {
                    left--;
                } else {
                    list.remove(due);
                    forgotten.accept(due);
                }
            }
        }
    }

    /** What consumers want of this lane; null when its timers are not leased. */
    public @Nullable PullDemand pulled() {
        return lane.route() == Lane.QUEUE_ROUTE ? credits.pulled() : null;
    }

    /** How many timers wait for a credit. */
    public int waiting() {
        return fresh.size() + aged.size() + backlog.size();
    }

    public boolean isIdle() {
        return inFlight == 0 && leased == 0 && !hasFresh() && !hasBacklog();
    }

    /** Whether it stands in one of the rounds. */
    public boolean isInRound() {
        return inFreshRound || inBacklogRound;
    }

    /** Whether it stands in no round because it is held back. */
    boolean isAside() {
        return stay != 0;
    }

    /** Asks whether it is in the rounds of its timers, or they would never start; and is needed, as queues and routes come and go. */
    public boolean standsWhereItMust() {
        return (!hasFresh() || inFreshRound || isAside())
                && (!hasBacklog() || inBacklogRound || isAside())
                && (!isIdle() || suspended || isInRound());
    }

    /** How many of its timers are for when an attempt ends, or is to find out whether the destination is back. */
    public int keptWhenSuspended() {
        return isHeldBack() ? KEPT_OF_HELD_BACK : KEPT_OF_STALLED;
    }

    public boolean isSuspended() {
        return suspended;
    }

    public void suspend() {
        suspended = true;
    }

    public void resume() {
        suspended = false;
    }

    public long starts() {
        return starts;
    }

    /** Whether the gate of its queue lets one attempt more start now, to which nothing else is in the way. */
    public boolean isAdmitted(long nowMs, long nowNanos) {
        StartGate gate = credits.gate();
        boolean admitted = gate.admits(nowMs, nowNanos);
        if (!admitted && refusedInTurn != gate.turn()) {
            refusedInTurn = gate.turn();
            gate.refuse(waiting());
        }
        return admitted;
    }

    // ---- how quick its targets are

    void noteStart(long nowNanos) {
        starts++;
        health.breaker().noteStart(nowNanos);
        movedNanos = nowNanos;
        if (inFlight == 0) {
            progressNanos = nowNanos;
        }
    }

    /** Takes note that an attempt was not made after all for which a timer was claimed. */
    public void noteNotStarted(long nowNanos) {
        health.breaker().noteNotStarted(nowNanos);
    }

    /**
     * Takes note of an attempt that has ended.
     *
     * @param towards that of the lane when it started
     * @param reached whether it has reached somebody, whatever they made of it
     */
    public void noteEnd(long startedNanos, Health towards, boolean reached, long nowNanos) {
        towards.noteEnd(reached, isQuick(nowNanos - startedNanos), nowNanos);
        movedNanos = nowNanos;
        progressNanos = nowNanos;
        window = Math.min(window + 1, MOST_WINDOW);
    }

    /** Whether timers wait here, and no attempt has started or ended for long, or only such as are to find out whether the destination is back. */
    public boolean isStalled(long nowNanos) {
        return (hasFresh() || hasBacklog()) && (isHeldBack() || !isQuick(nowNanos - movedNanos));
    }

    /** Whether attempts start now and then only, because the last ones have reached nobody. */
    public boolean isHeldBack() {
        return health.breaker().isOpen();
    }

    /** In how many nanoseconds an attempt may start, as far as its {@link Breaker} decides; 0 when it may now. */
    long heldBackNanos(long nowNanos) {
        return health.breaker().nanosToStart(nowNanos);
    }

    /**
     * Takes note that the destination is another now, or there is none.
     *
     * @param ofNext what is known of it; what is on its way to the former one says nothing of it
     */
    public void destinationChanged(Health ofNext) {
        suspended = false;
        health = ofNext;
    }

    public Health health() {
        return health;
    }

    /** Whether it is to be doubted that an attempt which starts now reaches anybody: the last one has not, or the first ones hang. */
    boolean doubtfulAt(long nowNanos) {
        return health.isDoubtful(hangsAt(nowNanos));
    }

    /** Whether the last attempt that ended has reached somebody quickly, and others have ended since; forgotten once the lane hangs. */
    boolean quickAt(long nowNanos) {
        forgetWhenHanging(nowNanos);
        return health.isQuick();
    }

    /** How many attempts may run at once when others want some too; few again once the lane hangs. */
    int windowAt(long nowNanos) {
        forgetWhenHanging(nowNanos);
        return window;
    }

    /** Whether attempts have ended, and the last of them or the first that runs is not long ago. */
    boolean getsOn(long nowNanos) {
        return windowAt(nowNanos) > FIRST_WINDOW;
    }

    private static boolean isQuick(long nanos) {
        return nanos < QUICK_NANOS;
    }

    /** Whether attempts run, and none has ended for long. */
    private boolean hangsAt(long nowNanos) {
        return inFlight > 0 && !isQuick(nowNanos - progressNanos);
    }

    private void forgetWhenHanging(long nowNanos) {
        if (hangsAt(nowNanos)) {
            health.noteHanging();
            window = FIRST_WINDOW;
        }
    }
}
