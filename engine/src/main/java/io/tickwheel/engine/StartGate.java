package io.tickwheel.engine;

import org.jspecify.annotations.Nullable;

/**
 * Whether attempts of a queue may start, as its settings say: paused, so many a second, so many at once. The rate is that of a bucket, which fills with the
 * rate and holds the burst; the rate of a slow start rises, so it is taken in the middle of the time that has passed, which is exact for a straight line. A
 * slow start lets a twentieth of a second gather, as {@link RateLimit#of} does. Owned by the loop.
 */
final class StartGate {

    /** Of a queue of which nothing is set. */
    static final StartGate OPEN = new StartGate();

    private static final double NANOS_A_SECOND = 1e9;
    private static final long NANOS_A_MS = 1_000_000;
    private static final double GATHERED_SECONDS = 1.0 / 20;

    private boolean paused;
    private @Nullable Integer concurrency;
    private @Nullable RateLimit rate;
    private @Nullable SlowStart slowStart;
    private double tokens;
    private long filledNanos;

    /** Whether an attempt would have started if there had been a token. */
    private boolean wanted;

    /** Takes other settings; what is in the bucket stays, as far as it has room. */
    void set(QueueSettings settings, long nowMs, long nowNanos) {
        boolean wasLimited = isLimited(nowMs);
        if (wasLimited) {
            fill(nowMs, nowNanos);
        }
        paused = Boolean.TRUE.equals(settings.paused());
        concurrency = settings.concurrency();
        rate = settings.rate();
        slowStart = settings.slowStart();
        if (!wasLimited) {
            // Nobody knows what has started a moment ago, without a limit.
            tokens = 1;
            filledNanos = nowNanos;
        }
        tokens = Math.min(tokens, Math.max(1, room(nowMs)));
    }

    boolean isPaused() {
        return paused;
    }

    /** How many attempts may run at once; null when the queue says nothing. */
    @Nullable
    Integer concurrency() {
        return concurrency;
    }

    /** Whether one attempt more may start now. */
    boolean isOpen(long nowMs, long nowNanos) {
        if (paused) {
            return false;
        }
        if (!isLimited(nowMs)) {
            return true;
        }
        fill(nowMs, nowNanos);
        wanted |= tokens < 1;
        return tokens >= 1;
    }

    /** Whether an attempt was refused in this turn because of the time. */
    boolean hasRefused() {
        return wanted;
    }

    /** Begins a turn of the loop, in which nobody was refused yet. */
    void begin() {
        wanted = false;
    }

    /** Notes that an attempt starts. */
    void take() {
        if (hasRate()) {
            tokens -= 1;
        }
    }

    /** Notes that an attempt that was taken did not start. */
    void giveBack() {
        if (hasRate()) {
            tokens += 1;
        }
    }

    private boolean hasRate() {
        return rate != null || slowStart != null;
    }

    /** In how many nanoseconds one may start that was refused in this turn; {@link Long#MAX_VALUE} when none was for its time. */
    long nanosToOpen(long nowMs, long nowNanos) {
        if (!wanted || paused || !isLimited(nowMs)) {
            return Long.MAX_VALUE;
        }
        fill(nowMs, nowNanos);
        return tokens >= 1 ? 0 : (long) Math.ceil((1 - tokens) / perSecond(nowMs) * NANOS_A_SECOND);
    }

    /** Whether a queue that waits may do so for long, and needs few timers at hand. */
    boolean isLimited(long nowMs) {
        return rate != null || (slowStart != null && slowStart.rateAt(nowMs) < RateLimit.MOST);
    }

    private void fill(long nowMs, long nowNanos) {
        long nanos = nowNanos - filledNanos;
        if (nanos > 0) {
            long middleMs = nowMs - nanos / NANOS_A_MS / 2;
            tokens = Math.min(room(nowMs), tokens + perSecond(middleMs) * ((double) nanos / NANOS_A_SECOND));
            filledNanos = nowNanos;
        }
    }

    private double perSecond(long nowMs) {
        double most = rate == null ? RateLimit.MOST : rate.perSecond();
        return slowStart == null ? most : Math.min(most, slowStart.rateAt(nowMs));
    }

    private double room(long nowMs) {
        double most = rate == null ? RateLimit.MOST : rate.burst();
        return slowStart == null ? most : Math.min(most, Math.max(1, slowStart.rateAt(nowMs) * GATHERED_SECONDS));
    }
}
