package io.tickwheel.server.wire;

import java.time.Duration;

/** The eighteen delays that brokers with fixed levels have, so that their users can move without counting. */
public final class DelayLevels {

    private static final long[] SECONDS = {
        1, 5, 10, 30, 60, 120, 180, 240, 300, 360, 420, 480, 540, 600, 1_200, 1_800, 3_600, 7_200
    };

    static final int LAST = SECONDS.length;

    private DelayLevels() {}

    /** @param level 1 to {@link #LAST} */
    static Duration delay(int level) {
        return Duration.ofSeconds(SECONDS[level - 1]);
    }
}
