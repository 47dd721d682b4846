package io.tickwheel.engine;

import java.time.Duration;

/** The eighteen delays that brokers with fixed levels have, RocketMQ first, so that their users can move without counting: from 1 s to 2 h. */
public final class DelayLevels {

    private static final long[] SECONDS = {
        1, 5, 10, 30, 60, 120, 180, 240, 300, 360, 420, 480, 540, 600, 1_200, 1_800, 3_600, 7_200
    };

    /** The highest level. */
    public static final int LAST = SECONDS.length;

    private DelayLevels() {}

    /**
     * The delay of a level.
     *
     * @param level 1 to {@link #LAST}
     * @throws IllegalArgumentException when it is not
     */
    public static Duration delay(int level) {
        if (level < 1 || level > LAST) {
            throw new IllegalArgumentException("level is " + level + ", must be 1 to " + LAST);
        }
        return Duration.ofSeconds(SECONDS[level - 1]);
    }
}
