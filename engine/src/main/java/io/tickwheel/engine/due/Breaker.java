package io.tickwheel.engine.due;

/**
 * Holds attempts of a lane back while its destination is not to be reached: each would cost a connection and one of the attempts that its timer has, for nothing.
 *
 * <pre>
 *   closed: any may start ---- {@value #MOST_IN_A_ROW} in a row have reached nobody ----> open: one at a time, later and later
 *                         <--------------- one has reached somebody ---------------
 * </pre>
 *
 * Open, it lets the first one start after 100 ms, the next 200 ms after that, then 400 and 800 ms, and from then on each second. It does not wait for one that hangs.
 * It is a circuit breaker, half open at these moments. Owned by the loop.
 */
public final class Breaker {

    static final int MOST_IN_A_ROW = 20;
    static final long FIRST_PAUSE_NANOS = 100_000_000;
    static final long LONGEST_PAUSE_NANOS = 1_000_000_000;

    private int inARow;

    /** From the opening, or the start of the last attempt, to the next; 0 while it is closed. */
    private long pauseNanos;

    private long nextNanos;

    /** Makes a closed one. */
    public Breaker() {}

    /** Whether it has anything to remember. */
    public boolean hasFailures() {
        return inARow > 0;
    }

    boolean isOpen() {
        return pauseNanos > 0;
    }

    /** In how many nanoseconds an attempt may start; 0 when it may now. */
    long nanosToStart(long nowNanos) {
        return isOpen() ? Math.max(0, nextNanos - nowNanos) : 0;
    }

    void noteStart(long nowNanos) {
        if (isOpen()) {
            pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
            nextNanos = nowNanos + pauseNanos;
        }
    }

    /** Takes back a start: no attempt was made, as the timer has expired, is a plan, or was put off, so the next may start at once. */
    void noteNotStarted(long nowNanos) {
        nextNanos = nowNanos;
    }

    /** Takes note of an attempt that has ended, whenever it has started. */
    void noteEnd(boolean reached, long nowNanos) {
        if (reached) {
            inARow = 0;
            pauseNanos = 0;
        } else if (!isOpen() && ++inARow == MOST_IN_A_ROW) {
            pauseNanos = FIRST_PAUSE_NANOS;
            nextNanos = nowNanos + pauseNanos;
        }
    }
}
