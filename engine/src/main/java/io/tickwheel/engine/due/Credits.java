package io.tickwheel.engine.due;

import io.tickwheel.engine.limit.StartGate;
import io.tickwheel.store.Lane;

/**
 * How many attempts may run at once, in number and in bytes of content: of a queue, and in all. Owned by the loop.
 *
 * <p>A target that hangs gives nothing back, so what a lane may have must be small before it is known. The first quarter of what may
 * run in all is for whoever comes first; beyond it each lane has a window that begins at {@value DueLane#FIRST_WINDOW}, grows by one with
 * each attempt that ends, and is as small as in the beginning when none has ended for a second. Beyond the half, a lane must not be doubtful. The last
 * eighth is kept for lanes that have little, or are quick:
 *
 * <pre>
 *   1/4    whoever comes
 *   1/4    within the window of the lane
 *   3/8    the same, unless it is doubtful
 *   1/16   quick ones, and of each other lane the first {@value DueLane#FIRST_WINDOW}, if they are fresh
 *   1/32   quick ones, and of each other lane the first, if it is fresh
 *   1/32   quick ones
 * </pre>
 *
 * The attempts of a queue are divided among its lanes in the same way. Of a queue that has one lane these are all of its timers, which
 * may have all, but for the last eighth when they name an address of their own: others may name another.
 *
 * <p>A lane is quick when its last attempt that ended has reached somebody in less than {@value DueLane#QUICK_MS} ms, and others have ended since. A quick one may
 * have as many of the last eighth as it leaves. It is doubtful when its last attempt has reached nobody, or when none has ended yet and the first runs for a second.
 * However many destinations hang, they leave half of all to others once their first attempts have come to their timeout. Until then, as after a start with their backlogs,
 * what is quick, or has fresh timers, has the last eighth.
 *
 * <p>Worked example: 2,048 attempts in all, 256 of a queue, 200 lanes whose targets hang. If two come seconds before the others, these take 512 credits, the others 4
 * each: 1,304. A healthy lane that comes then has 744 left: it begins with 4, and may soon have 256.
 *
 * <p>In bytes the first half is for whoever comes first. Beyond it only lanes have several attempts of which one has ended within a second,
 * and of the last quarter each of these has as much as it leaves. A lane of which none runs may start one until there is twice as much
 * as there should be: hanging lanes take no more than that one each, so that another lane gets on, if only one by one.
 *
 * <p>Attempts that are leased take nothing of all this, and need nothing of it but what the settings of their queue say: {@link LeaseCredits} bound them.
 */
public final class Credits {

    /** Fewer attempts of a queue are not divided. */
    private static final int LEAST_DIVIDED = 16;

    private final int most;
    private final int mostOfQueue;
    private final long mostBytes;
    private int inFlight;
    private long bytes;
    private long returned;

    public Credits(int most, int mostOfQueue, long mostBytes) {
        this.most = most;
        this.mostOfQueue = mostOfQueue;
        this.mostBytes = mostBytes;
    }

    /** Attempts that run or are being claimed, but for those that are leased. */
    public int inFlight() {
        return inFlight;
    }

    /** How many attempts have been given back so far. */
    long returned() {
        return returned;
    }

    /**
     * Whether a lane may start an attempt with so much content. What is alone may always start, however large it is, unless the queue says
     * otherwise.
     *
     * @param fresh whether it is of a fresh timer, and not of a backlog
     */
    boolean admits(DueLane lane, int contentBytes, boolean fresh, long nowMs, long nowNanos) {
        StartGate gate = lane.credits.gate();
        if (gate.isPaused()) {
            return false;
        }
        PullDemand pulled = lane.pulled();
        boolean hasCredit =
                pulled != null ? pulled.admits(contentBytes) : hasCredits(lane, contentBytes, fresh, nowNanos);
        // The gate comes last: what it refuses it may borrow, and only what can be used is worth that.
        return hasCredit && lane.isAdmitted(nowMs, nowNanos);
    }

    private boolean hasCredits(DueLane lane, int contentBytes, boolean fresh, long nowNanos) {
        return hasCredit(lane, fresh, most, inFlight, nowNanos)
                && hasCreditOfQueue(lane, fresh, nowNanos)
                && hasBytes(lane, counted(contentBytes), nowNanos);
    }

    private boolean hasCreditOfQueue(DueLane lane, boolean fresh, long nowNanos) {
        QueueCredits queue = lane.credits;
        Integer set = queue.gate().concurrency();
        int most = set == null ? mostOfQueue : set;
        if (queue.lanes() == 1) {
            boolean all = lane.lane.route() == Lane.QUEUE_ROUTE || most < LEAST_DIVIDED;
            return queue.inFlight < (all ? most : most - most / 8);
        }
        return hasCredit(lane, fresh, most, queue.inFlight, nowNanos);
    }

    private static boolean hasCredit(DueLane lane, boolean fresh, int most, int inFlight, long nowNanos) {
        int left = most - inFlight;
        if (left <= 0) {
            return false;
        }
        if (inFlight < most / 4) {
            return true;
        }
        if (lane.inFlight >= lane.windowAt(nowNanos)) {
            return false;
        }
        if (lane.doubtfulAt(nowNanos)) {
            return inFlight < (most + 1) / 2;
        }
        if (left > most / 8) {
            return true;
        }
        if (lane.quickAt(nowNanos)) {
            return lane.inFlight < left;
        }
        return fresh
                && (left > most / 16 ? lane.inFlight < DueLane.FIRST_WINDOW : lane.inFlight == 0 && left > most / 32);
    }

    private boolean hasBytes(DueLane lane, long size, long nowNanos) {
        long then = bytes + size;
        if (then <= mostBytes / 2) {
            return true;
        }
        if (lane.inFlight == 0) {
            return then <= 2 * mostBytes;
        }
        long left = mostBytes - bytes;
        return lane.getsOn(nowNanos) && (left - size >= mostBytes / 4 || lane.bytes + size <= left);
    }

    /** What is larger than half of the limit counts as half, so that it need not wait until nothing else runs. */
    private long counted(int contentBytes) {
        return Math.min(contentBytes, mostBytes / 2);
    }

    public void take(DueLane lane, int contentBytes, long nowNanos) {
        lane.noteStart(nowNanos);
        lane.credits.gate().take();
        lane.credits.claiming++;
        PullDemand pulled = lane.pulled();
        if (pulled == null) {
            change(lane, 1, counted(contentBytes));
        } else {
            changeLeased(lane, 1);
            pulled.claim(contentBytes);
        }
    }

    /** The claim of an attempt that was taken is answered, or nobody waits for it any more. */
    public void claimed(DueLane lane) {
        lane.credits.claiming--;
        assert lane.credits.claiming >= 0 : "more claims answered than asked for";
    }

    /** An attempt was given up before it began, or has ended; with the arguments with which it was taken. */
    public void giveBack(DueLane lane, int contentBytes) {
        returned++;
        change(lane, -1, -counted(contentBytes));
        assert lane.inFlight >= 0 && lane.bytes >= 0 : "more given back than taken";
    }

    /** A lease has ended, or a claim for one has come to nothing, of which its queue takes note itself. */
    public void giveBackLeased(DueLane lane) {
        changeLeased(lane, -1);
        assert lane.leased >= 0 : "more given back than taken";
    }

    private static void changeLeased(DueLane lane, int attempts) {
        lane.credits.leased += attempts;
        lane.leased += attempts;
    }

    private void change(DueLane lane, int attempts, long contentBytes) {
        lane.credits.inFlight += attempts;
        lane.inFlight += attempts;
        lane.bytes += contentBytes;
        inFlight += attempts;
        bytes += contentBytes;
    }
}
