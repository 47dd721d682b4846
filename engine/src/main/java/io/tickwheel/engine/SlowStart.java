package io.tickwheel.engine;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a queue starts again after a pause: with so many attempts a second, and with as many more in each second that follows, so that what has gathered does not
 * fall upon its receivers at once. It is over after ten minutes, or when that is more than the queue may have anyway. Immutable.
 *
 * <pre>
 *   50 a second:   1st second about 75 (50 rising to 100)   2nd 125   3rd 175   ...   in t seconds 50 t + 25 t²
 * </pre>
 *
 * @param perSecond {@value RateLimit#LEAST} to {@value RateLimit#MOST}
 * @param since from when on; null in a change, for the moment at which that is taken, and in a pause, for the moment at which that ends
 */
public record SlowStart(double perSecond, @Nullable Instant since) {

    static final long LASTS_MS = 600_000;

    private static final double MS_A_SECOND = 1_000;

    public SlowStart {
        // Written so that NaN is refused too.
        if (!(perSecond >= RateLimit.LEAST && perSecond <= RateLimit.MOST)) {
            throw new IllegalArgumentException("the perSecond of a slow start is " + perSecond + ", must be "
                    + RateLimit.LEAST + " to " + RateLimit.MOST);
        }
    }

    /** Beginning at the moment at which the change is taken. */
    public static SlowStart of(double perSecond) {
        return new SlowStart(perSecond, null);
    }

    /** Attempts a second that may start at a time; infinite when it is over, or not begun. */
    public double rateAt(long nowMs) {
        if (since == null) {
            return Double.POSITIVE_INFINITY;
        }
        long elapsedMs = Math.max(0, nowMs - since.toEpochMilli());
        return elapsedMs >= LASTS_MS ? Double.POSITIVE_INFINITY : perSecond * (1 + elapsedMs / MS_A_SECOND);
    }
}
