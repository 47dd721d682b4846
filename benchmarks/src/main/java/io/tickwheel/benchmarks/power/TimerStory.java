package io.tickwheel.benchmarks.power;

import org.jspecify.annotations.Nullable;

/** What the ledger says of one version of a timer. Lines count from 1; 0 stands for one that has not been written. */
final class TimerStory {

    final String key;
    final String token;
    final long dueAtMs;

    @Nullable
    String id;

    long version;
    boolean accepted;
    boolean cancelled;
    boolean replaced;
    boolean lost;
    /** An answer has shown that it is finished: it must not come any more. */
    boolean finished;
    /** The process in which it was replaced while an attempt was running: that one may still show up. */
    int claimedWhenReplacedIn;

    int cameIn;
    long cameAtLine;
    boolean failed;
    boolean everFailed;
    int tookIn;

    /** In which lifetime it was taken after the cut had begun, when it was not known to be accepted: that may count, or not. */
    int mayHaveTakenIn;

    long tookAtMs;
    /** Found pending after everything due was delivered. */
    boolean pendingAtEnd;

    TimerStory(String key, String token, long dueAtMs) {
        this.key = key;
        this.token = token;
        this.dueAtMs = dueAtMs;
    }

    /** Answered, or seen by an answer or an attempt: it was durable then. */
    boolean isKnown() {
        return accepted || id != null;
    }

    boolean isDelivered() {
        return tookIn > 0;
    }

    /** Whether an attempt of this process was under way or had succeeded before a line. */
    boolean wasTakenBefore(long line, int lifetime) {
        return cameIn == lifetime && cameAtLine < line && !failed;
    }

    @Override
    public String toString() {
        return key + " version " + (id == null ? "?" : version) + " (" + token + ", due at " + dueAtMs + ")";
    }
}
