package io.tickwheel.engine.due;

/**
 * Holds attempts of a lane back while its destination is not to be reached, or nobody knows whether it is: each would cost a connection and one of the attempts that its timer has, for
 * nothing.
 *
 * <pre>
 *   unknown: {@value #MOST_IN_A_ROW} may start, and as many more each second ---.
 *   closed: any may start ---------------------------------+--- {@value #MOST_IN_A_ROW} in a row have reached nobody ---> open: one at a time, later and later
 *
 *   unknown, open --- one has reached somebody ---------> closed
 *   closed ---------- none has reached any for a minute -> unknown
 * </pre>
 *
 * Open, it lets the first one start after 100 ms, the next 200 ms after that, then 400 and 800 ms, and from then on each second. It does not wait for one that hangs.
 * It is a circuit breaker, half open at these moments. Owned by the loop.
 */
public final class Breaker {

    static final int MOST_IN_A_ROW = 20;
    static final long FIRST_PAUSE_NANOS = 100_000_000;
    static final long LONGEST_PAUSE_NANOS = 1_000_000_000;

    /** So long after the first of those that may start at once while it is unknown, as many more may. */
    static final long UNKNOWN_PAUSE_NANOS = 1_000_000_000;

    /** So long after one has reached somebody it is taken that the next one does. */
    static final long KNOWN_NANOS = 60_000_000_000L;

    /** Whether its attempts go to code of this program, which is always to be reached. */
    private final boolean ofHandler;

    private int inARow;

    /** From the opening, or the start of the last attempt, to the next; 0 while it is not open. */
    private long pauseNanos;

    private long nextNanos;

    /** Whether one has reached somebody, and when the last one did. */
    private boolean reached;

    private long reachedNanos;

    /** How many have started lately while it was unknown, and when the first of these did. */
    private int startedUnknown;

    private long firstUnknownNanos;

    /**
     * Makes one that knows nothing of its destination.
     *
     * @param ofHandler whether its attempts go to code of this program, which is always to be reached
     */
    Breaker(boolean ofHandler) {
        this.ofHandler = ofHandler;
    }

    /** Whether the last attempts have reached nobody. */
    public boolean hasFailures() {
        return inARow > 0;
    }

    boolean isOpen() {
        return pauseNanos > 0;
    }

    private boolean isUnknown(long nowNanos) {
        return !ofHandler && !(reached && nowNanos - reachedNanos < KNOWN_NANOS);
    }

    /** In how many nanoseconds an attempt may start; 0 when it may now. */
    long nanosToStart(long nowNanos) {
        if (isOpen()) {
            return Math.max(0, nextNanos - nowNanos);
        }
        boolean waits = startedUnknown >= MOST_IN_A_ROW && isUnknown(nowNanos);
        return waits ? Math.max(0, firstUnknownNanos + UNKNOWN_PAUSE_NANOS - nowNanos) : 0;
    }

    void noteStart(long nowNanos) {
        if (isOpen()) {
            pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
            nextNanos = nowNanos + pauseNanos;
        } else if (isUnknown(nowNanos)) {
            if (startedUnknown == 0 || nowNanos - firstUnknownNanos >= UNKNOWN_PAUSE_NANOS) {
                startedUnknown = 0;
                firstUnknownNanos = nowNanos;
            }
            startedUnknown++;
        }
    }

    /** Takes back a start: no attempt was made, as the timer has expired, is a plan, or was put off, so the next may start at once. */
    void noteNotStarted(long nowNanos) {
        nextNanos = nowNanos;
        startedUnknown = Math.max(0, startedUnknown - 1);
    }

    /** Takes note of an attempt that has ended, whenever it has started. */
    void noteEnd(boolean hasReached, long nowNanos) {
        if (hasReached) {
            inARow = 0;
            pauseNanos = 0;
            reached = true;
            reachedNanos = nowNanos;
            startedUnknown = 0;
        } else if (!isOpen() && ++inARow == MOST_IN_A_ROW) {
            pauseNanos = FIRST_PAUSE_NANOS;
            nextNanos = nowNanos + pauseNanos;
        }
    }
}
