package io.tickwheel.store.redis.faults;

import org.jspecify.annotations.Nullable;

/** A command as the ledger has it: a schedule when it has a token, else a cancel. Written by one thread, then answered once. */
final class FaultWish {

    final String key;

    /** Of the timer that it is to make; empty for a cancel. */
    final String token;

    final long dueAtMs;
    final long startMs;

    private volatile @Nullable FaultAnswer answer;
    private volatile long endMs = Long.MAX_VALUE;

    FaultWish(String key, String token, long dueAtMs, long startMs) {
        this.key = key;
        this.token = token;
        this.dueAtMs = dueAtMs;
        this.startMs = startMs;
    }

    void answered(FaultAnswer with, long nowMs) {
        endMs = nowMs;
        answer = with;
    }

    boolean isCancel() {
        return token.isEmpty();
    }

    boolean isAnswered() {
        return answer != null;
    }

    /** Unknown as long as there is none. */
    FaultAnswer answer() {
        FaultAnswer given = answer;
        return given == null ? FaultAnswer.UNKNOWN : given;
    }

    /** When it was answered; one without an answer has no end. */
    long endMs() {
        return endMs;
    }

    @Override
    public String toString() {
        return (isCancel() ? "cancel" : "schedule " + token + " due " + dueAtMs) + " from " + startMs + " to " + endMs
                + ": " + answer().text();
    }
}
