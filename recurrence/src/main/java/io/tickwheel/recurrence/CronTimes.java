package io.tickwheel.recurrence;

/**
 * The times of day of a cron expression, in seconds since midnight. Immutable.
 *
 * @param seconds bit s for second s
 * @param minutes bit m for minute m
 * @param hours bit h for hour h
 */
record CronTimes(long seconds, long minutes, int hours) {

    static final int DAY = 86_400;

    private static final int MINUTE = 60;
    private static final int HOUR = 3_600;
    private static final int ALL_HOURS = (1 << 24) - 1;

    /** Asks whether there are times in each hour of the day. */
    boolean isEveryHour() {
        return hours == ALL_HOURS;
    }

    int first() {
        return firstInHour(Integer.numberOfTrailingZeros(hours));
    }

    /** The first of them that is not before a second of the day; {@link #DAY} when there is none. */
    int notBefore(int secondOfDay) {
        int hour = secondOfDay / HOUR;
        if ((hours & 1 << hour) != 0) {
            int minute = secondOfDay / MINUTE % MINUTE;
            if ((minutes & 1L << minute) != 0) {
                int second = from(seconds, secondOfDay % MINUTE);
                if (second < MINUTE) {
                    return hour * HOUR + minute * MINUTE + second;
                }
            }
            int later = from(minutes, minute + 1);
            if (later < MINUTE) {
                return hour * HOUR + later * MINUTE + Long.numberOfTrailingZeros(seconds);
            }
        }
        int later = from(hours, hour + 1);
        return later < Long.SIZE ? firstInHour(later) : DAY;
    }

    private int firstInHour(int hour) {
        return hour * HOUR + Long.numberOfTrailingZeros(minutes) * MINUTE + Long.numberOfTrailingZeros(seconds);
    }

    /** The least value from one on, or 64. */
    private static int from(long bits, int value) {
        return Long.numberOfTrailingZeros(bits >>> value << value);
    }
}
