package io.tickwheel.engine.limit;

import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.engine.SlowStart;
import org.jspecify.annotations.Nullable;

/**
 * How fast attempts of a queue may start, and how many may run at once, as its settings say. A slow start lets a twentieth of a second gather, as {@link
 * RateLimit#of} does. Immutable.
 */
record StartRule(
        @Nullable Integer concurrency,
        @Nullable RateLimit rate,
        @Nullable SlowStart slowStart) {

    /** Without any limit. */
    static final StartRule NONE = new StartRule(null, null, null);

    private static final double GATHERED_SECONDS = 1.0 / 20;

    static StartRule of(QueueSettings settings) {
        return new StartRule(settings.concurrency(), settings.rate(), settings.slowStart());
    }

    /** Whether starts are counted at all. */
    boolean hasRate() {
        return rate != null || slowStart != null;
    }

    /** Whether only so many may start a second. */
    boolean isLimited(long nowMs) {
        return rate != null || (slowStart != null && slowStart.rateAt(nowMs) < RateLimit.MOST);
    }

    double perSecond(long nowMs) {
        double most = rate == null ? RateLimit.MOST : rate.perSecond();
        return slowStart == null ? most : Math.min(most, slowStart.rateAt(nowMs));
    }

    /** How many may start at once. */
    double burst(long nowMs) {
        double most = rate == null ? RateLimit.MOST : rate.burst();
        return slowStart == null ? most : Math.min(most, Math.max(1, slowStart.rateAt(nowMs) * GATHERED_SECONDS));
    }
}
