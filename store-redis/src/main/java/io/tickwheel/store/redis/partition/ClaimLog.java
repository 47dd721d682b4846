package io.tickwheel.store.redis.partition;

import java.util.function.Consumer;

/**
 * Writes what became of claims into the log, a line each: thousands of them run out at once when a node or a consumer dies. What goes
 * beyond so many lines in ten seconds is counted, and its number told. Used by the loop only.
 */
final class ClaimLog {

    static final long WINDOW_NANOS = 10_000_000_000L;
    static final int MOST_LINES = 100;

    private static final long NANOS_A_SECOND = 1_000_000_000L;

    private final Consumer<String> log;
    private boolean isOpen;
    private long openedNanos;
    private int lines;
    private String last = "";

    /** @param log takes the lines */
    ClaimLog(Consumer<String> log) {
        this.log = log;
    }

    /** Something became of a claim that whoever made it did not ask for. */
    void say(String line, long nowNanos) {
        work(nowNanos);
        if (!isOpen) {
            isOpen = true;
            openedNanos = nowNanos;
        }
        lines++;
        if (lines <= MOST_LINES) {
            log.accept(line);
        } else {
            last = line;
        }
    }

    /** Tells how many lines are left out when it is time to. */
    void work(long nowNanos) {
        if (isOpen && nowNanos - openedNanos >= WINDOW_NANOS) {
            flush(nowNanos);
        }
    }

    /** Tells how many lines are left out. */
    void flush(long nowNanos) {
        if (lines > MOST_LINES) {
            // A second at least: less is not worth a number of its own.
            long seconds = Math.max(1, (nowNanos - openedNanos) / NANOS_A_SECOND);
            log.accept("claims not named here: " + (lines - MOST_LINES) + " in " + seconds + " s, the last: " + last);
        }
        isOpen = false;
        lines = 0;
    }
}
