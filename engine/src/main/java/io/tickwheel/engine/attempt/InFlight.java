package io.tickwheel.engine.attempt;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Delivery;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.engine.due.DueLane;
import io.tickwheel.engine.due.DueTimer;
import io.tickwheel.engine.due.Health;
import io.tickwheel.engine.due.PullDemand;
import io.tickwheel.engine.inbox.Inbox;
import io.tickwheel.engine.rule.DueTimes;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.PendingTimer;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A running attempt, as its target sees it; brings the first outcome to the loop as a note. */
public final class InFlight extends Inbox.Note implements Delivery {

    private static final long NANOS_A_MS = 1_000_000;
    private static final int MOST_STATUS = 0xffff;
    public static final Duration LONGEST_WAIT = Duration.ofDays(30);

    private Attempt attempt;

    public final PendingTimer timer;
    /** By which the calendar knows the claim when it may outlive this engine; 0 when it does not. */
    public final long claimToken;

    public final int contentBytes;
    public final DueLane lane;

    /** That of the lane when the attempt started. */
    public final Health towards;

    public final RetryPolicy retry;

    /** For whom it was claimed, when it is leased; null when it is not. */
    public final @Nullable PullDemand pulled;

    /** No attempt of the timer may start after this; in milliseconds since the epoch. */
    public final long expiresAtMs;

    public final long startedNanos;
    private final long startedMs;
    private final Outcomes outcomes;
    private final AtomicBoolean ended = new AtomicBoolean();
    private Outcome outcome = Outcome.FAILED;
    private volatile int status;
    private volatile String excerpt = "";

    /** Why it did not succeed. */
    String reason = "";

    /** How long to wait at least before the next attempt. */
    Duration wait = Duration.ZERO;

    /** How long to wait before the next attempt, whatever the retry policy says; null when that decides. */
    @Nullable
    Duration delay;

    private long untilMs;

    /** Whether the attempt has reached somebody, as far as its target knows. */
    private boolean reached = true;

    public InFlight(
            Outcomes outcomes,
            Attempt attempt,
            DueTimer due,
            DueLane lane,
            RetryPolicy retry,
            long expiresAtMs,
            long startedMs,
            long startedNanos) {
        this.outcomes = outcomes;
        this.attempt = attempt;
        this.timer = due.timer;
        this.pulled = due.pulled();
        this.claimToken = due.claimToken();
        this.contentBytes = due.contentBytes();
        this.lane = lane;
        this.towards = lane.health();
        this.retry = retry;
        this.expiresAtMs = expiresAtMs;
        this.startedMs = startedMs;
        this.startedNanos = startedNanos;
    }

    /** How an attempt ended. */
    public enum Outcome {
        ACKNOWLEDGED,
        FAILED,
        POSTPONED,
        REJECTED,
        /** It was claimed, and never began. */
        UNUSED
    }

    /** Who is told how attempts ended. */
    public interface Outcomes {

        /** Brings an attempt that has ended to the loop, where it is taken as a note. Any thread may call this. */
        void bring(InFlight ended);

        /** Does what follows from an outcome, and returns whether it counts, as far as is known. Only the loop calls this. */
        boolean settle(InFlight ended, Outcome outcome);
    }

    /**
     * This attempt as it is remembered, when it ends now.
     *
     * @param because why it did not succeed; empty when it did
     */
    PastAttempt past(String because, long nowNanos) {
        return Reasons.past(attempt, startedMs, (nowNanos - startedNanos) / NANOS_A_MS, status, because, excerpt);
    }

    /** Lets go of the payload and the headers. */
    public void forgetContent() {
        attempt = Attempts.withoutContent(attempt);
    }

    /**
     * Ends it at once; only the loop calls this.
     *
     * @param because why it did not succeed
     * @param again how long to wait before the next attempt; null when the retry policy decides
     * @return whether the outcome counts
     */
    public boolean endNow(Outcome endedAs, String because, @Nullable Duration again) {
        reason = endedAs == Outcome.ACKNOWLEDGED ? "" : Reasons.given(because);
        delay = again;
        return outcomes.settle(this, endedAs);
    }

    @Override
    public void take() {
        outcomes.settle(this, outcome);
    }

    @Override
    public void answered(int answered) {
        answered(answered, "");
    }

    @Override
    public void answered(int answered, String beginning) {
        Objects.requireNonNull(beginning, "excerpt");
        if (answered < 0 || answered > MOST_STATUS) {
            throw new IllegalArgumentException("status is " + answered + ", must be 0 to " + MOST_STATUS);
        }
        status = answered;
        excerpt = attempt.keepsExcerpt() ? Reasons.excerpt(beginning) : "";
    }

    @Override
    public void acknowledge() {
        end(Outcome.ACKNOWLEDGED, "", Duration.ZERO, 0);
    }

    @Override
    public void fail(String reason) {
        end(Outcome.FAILED, reason, Duration.ZERO, 0);
    }

    @Override
    public void unreachable(String reason) {
        end(Outcome.FAILED, reason, Duration.ZERO, 0, false);
    }

    @Override
    public void fail(String reason, Duration wait) {
        if (wait.isNegative()) {
            throw new IllegalArgumentException("wait is " + wait + ", must not be negative");
        }
        end(Outcome.FAILED, reason, wait.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait, 0);
    }

    @Override
    public void postpone(String reason, Instant until) {
        if (until.isAfter(TimerRequest.LAST_DUE)) {
            throw new IllegalArgumentException("until is " + until + ", must be at most " + TimerRequest.LAST_DUE);
        }
        end(Outcome.POSTPONED, reason, Duration.ZERO, untilMs(until));
    }

    /** Without its content, once it is leased. */
    public Attempt attempt() {
        return attempt;
    }

    /** Whether it has reached somebody, as far as its target knows. */
    public boolean hasReached() {
        return reached;
    }

    /** When to try again, of one that was postponed; in milliseconds since the epoch. */
    long untilMs() {
        return untilMs;
    }

    /** Takes note when to try again; only the loop calls this. */
    public void postponeUntil(Instant until) {
        untilMs = untilMs(until);
    }

    /** One that has passed may be any: it is for the loop to say what is past. */
    private static long untilMs(Instant until) {
        return until.isBefore(Instant.EPOCH) ? 0 : DueTimes.ceilMs(until);
    }

    @Override
    public void reject(String reason) {
        end(Outcome.REJECTED, reason, Duration.ZERO, 0);
    }

    private void end(Outcome endedAs, @Nullable String because, Duration waitFor, long againAtMs) {
        end(endedAs, because, waitFor, againAtMs, true);
    }

    private void end(Outcome endedAs, @Nullable String because, Duration waitFor, long againAtMs, boolean hasReached) {
        if (ended.compareAndSet(false, true)) {
            outcome = endedAs;
            reason = endedAs == Outcome.ACKNOWLEDGED ? "" : Reasons.given(because);
            wait = waitFor;
            untilMs = againAtMs;
            reached = hasReached;
            outcomes.bring(this);
        }
    }
}
