package io.tickwheel.engine.limit;

import io.tickwheel.engine.QueueSettings;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Whether attempts of a queue may start, as its settings say: paused, so many a second, so many at once. Owned by the loop. */
public final class StartGate {

    /** Of a queue of which nothing is set. */
    public static final StartGate OPEN = new StartGate(new OwnStarts());

    /** So much of what may start in a second is claimed at once at most. */
    private static final double CLAIMED_SECONDS = 1.0 / 4;

    private final StartBudget budget;
    private boolean paused;
    private StartRule rule = StartRule.NONE;

    /** How many attempts of its queue run. */
    private IntSupplier running = () -> 0;

    /** How many of these are being claimed. */
    private IntSupplier claiming = () -> 0;

    private long turn;

    /** Timers that would have been claimed in this turn. */
    private int refused;

    public StartGate(StartBudget budget) {
        this.budget = budget;
    }

    /** Takes other settings. */
    public void set(QueueSettings settings, long nowMs, long nowNanos) {
        paused = Boolean.TRUE.equals(settings.paused());
        rule = StartRule.of(settings);
        budget.set(rule, nowMs, nowNanos);
    }

    /** Learns how many attempts of its queue run or are being claimed, and how many of these are being claimed. */
    public void serve(IntSupplier attempts, IntSupplier claims) {
        running = attempts;
        claiming = claims;
    }

    public boolean isPaused() {
        return paused;
    }

    /** How many attempts may run at once; null when the queue says nothing. */
    public @Nullable Integer concurrency() {
        return rule.concurrency();
    }

    /** Whether one attempt more may start now, to which nothing else is in the way. */
    public boolean admits(long nowMs, long nowNanos) {
        return this == OPEN || (mayClaim(nowMs) && budget.admits(running.getAsInt(), nowMs, nowNanos));
    }

    /** What is being claimed has its token, and starts all at once when a store that stood still goes on. */
    private boolean mayClaim(long nowMs) {
        return !rule.isLimited(nowMs)
                || claiming.getAsInt() < Math.max(rule.burst(nowMs), rule.perSecond(nowMs) * CLAIMED_SECONDS);
    }

    /** The number of the turn. */
    public long turn() {
        return turn;
    }

    /** Notes that so many timers would have been claimed in this turn. */
    public void refuse(int waiting) {
        refused += waiting;
    }

    /** Whether an attempt was refused in this turn because of the time. */
    public boolean hasRefused() {
        return budget.hasRefused();
    }

    /** Begins a turn of the loop, in which nobody was refused yet. */
    public void begin() {
        turn++;
        refused = 0;
        budget.begin();
    }

    /**
     * Ends a turn of the loop.
     *
     * @param stopped whether no attempt starts any more
     */
    public void work(boolean stopped, long nowMs, long nowNanos) {
        budget.work(running.getAsInt(), stopped || paused ? 0 : refused, nowMs, nowNanos);
    }

    /** Notes that an attempt starts. */
    public void take() {
        budget.take();
    }

    /** Notes that an attempt that was taken did not start. */
    public void giveBack() {
        budget.giveBack();
    }

    /** In how many nanoseconds one may start that was refused in this turn; {@link Long#MAX_VALUE} when none was for its time. */
    public long nanosToOpen(long nowMs, long nowNanos) {
        return paused ? Long.MAX_VALUE : budget.nanosToOpen(nowMs, nowNanos);
    }

    /** In how many nanoseconds there is something to do even if nothing waits. */
    public long idleNanos(long nowNanos) {
        return budget.idleNanos(nowNanos);
    }

    /** Whether nothing was borrowed that could be given back. */
    public boolean isSettled() {
        return budget.isSettled() || running.getAsInt() > 0;
    }

    /** Whether a queue that waits may do so for long, and needs few timers at hand. */
    public boolean isLimited(long nowMs) {
        return rule.isLimited(nowMs);
    }
}
