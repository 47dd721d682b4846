package io.tickwheel.engine.limit;

/**
 * What a node starts that has the calendar alone. The rate is that of a bucket, which fills with the rate and holds the burst; the rate of a slow start rises, so
 * it is taken in the middle of the time that has passed, which is exact for a straight line. Owned by the loop.
 */
public final class OwnStarts implements StartBudget {

    private static final double NANOS_A_SECOND = 1e9;
    private static final long NANOS_A_MS = 1_000_000;

    private StartRule rule = StartRule.NONE;
    private double tokens;
    private long filledNanos;

    /** Whether an attempt would have started if there had been a token. */
    private boolean wanted;

    /** What is in the bucket stays, as far as it has room. */
    @Override
    public void set(StartRule other, long nowMs, long nowNanos) {
        boolean wasLimited = rule.isLimited(nowMs);
        if (wasLimited) {
            fill(nowMs, nowNanos);
        }
        rule = other;
        if (!wasLimited) {
            // Nobody knows what has started a moment ago, without a limit.
            tokens = 1;
            filledNanos = nowNanos;
        }
        tokens = Math.min(tokens, Math.max(1, rule.burst(nowMs)));
    }

    @Override
    public boolean admits(int running, long nowMs, long nowNanos) {
        Integer most = rule.concurrency();
        if (most != null && running >= most) {
            return false;
        }
        if (!rule.isLimited(nowMs)) {
            return true;
        }
        fill(nowMs, nowNanos);
        wanted |= tokens < 1;
        return tokens >= 1;
    }

    @Override
    public void take() {
        if (rule.hasRate()) {
            tokens -= 1;
        }
    }

    @Override
    public void giveBack() {
        if (rule.hasRate()) {
            tokens += 1;
        }
    }

    @Override
    public void begin() {
        wanted = false;
    }

    @Override
    public boolean hasRefused() {
        return wanted;
    }

    @Override
    public long nanosToOpen(long nowMs, long nowNanos) {
        if (!wanted || !rule.isLimited(nowMs)) {
            return Long.MAX_VALUE;
        }
        fill(nowMs, nowNanos);
        return tokens >= 1 ? 0 : (long) Math.ceil((1 - tokens) / rule.perSecond(nowMs) * NANOS_A_SECOND);
    }

    private void fill(long nowMs, long nowNanos) {
        long nanos = nowNanos - filledNanos;
        if (nanos > 0) {
            long middleMs = nowMs - nanos / NANOS_A_MS / 2;
            double filled = tokens + rule.perSecond(middleMs) * ((double) nanos / NANOS_A_SECOND);
            tokens = Math.min(rule.burst(nowMs), filled);
            filledNanos = nowNanos;
        }
    }
}
