package io.tickwheel.recurrence;

import java.time.LocalDate;

/**
 * The days of a cron expression. They are found a month at a time: its days are the bits of an {@code int}, and months that do not match are passed
 * over. Days are counted from the epoch. Immutable.
 *
 * @param months bit m for month m
 * @param days bit d for day d of the month
 * @param fromEnd bit n for the day n days before the last one of the month
 * @param nearest bit d for the weekday nearest to day d, in the same month; none in a month without a day d
 * @param isLastWeekday whether the last day of the month from Monday to Friday is one of them
 * @param weekdays bit w for each such day of the week; Monday is 0
 * @param ordinals bit {@code ORDINALS * w + n - 1} for the n-th such day of the month, and {@code ORDINALS * w + LAST - 1} for the last one
 */
record CronDays(int months, int days, int fromEnd, int nearest, boolean isLastWeekday, int weekdays, long ordinals) {

    static final int LAST = 6;
    static final int ORDINALS = LAST;

    /** After so many years the calendar begins again, with the same days of the week. */
    private static final int CYCLE_YEARS = 400;

    private static final int ALL_MONTHS = 0b1_1111_1111_1110;
    private static final int ALL_DAYS = 0xffff_fffe;
    private static final int WEEK = 7;
    private static final long EACH_WEEK = 0b1_0000001_0000001_0000001_0000001L;
    private static final int ALL_WEEKDAYS = (1 << WEEK) - 1;
    private static final int SATURDAY = 5;
    private static final int SUNDAY = 6;

    /** Asks whether each day is one of them. */
    boolean isEveryDay() {
        return months == ALL_MONTHS && days == ALL_DAYS && weekdays == ALL_WEEKDAYS;
    }

    boolean contains(long epochDay) {
        LocalDate date = LocalDate.ofEpochDay(epochDay);
        return isIn(months, date.getMonthValue())
                && isIn(
                        in(date.getYear(), date.getMonthValue(), epochDay - date.getDayOfMonth() + 1),
                        date.getDayOfMonth());
    }

    /** The first of them after a day; {@link Cron#NEVER} when there is none in the cycle of the calendar, which is to say none at all. */
    long after(long epochDay) {
        LocalDate date = LocalDate.ofEpochDay(epochDay + 1);
        int lastYear = date.getYear() + CYCLE_YEARS;
        int from = date.getDayOfMonth();
        int month = date.getMonthValue();
        for (int year = date.getYear(); year <= lastYear; year++) {
            for (; month <= 12; month++) {
                if (isIn(months, month)) {
                    long firstDay = LocalDate.of(year, month, 1).toEpochDay();
                    int found = Integer.numberOfTrailingZeros(in(year, month, firstDay) >>> from << from);
                    if (found < Integer.SIZE) {
                        return firstDay + found - 1;
                    }
                }
                from = 1;
            }
            month = 1;
        }
        return Cron.NEVER;
    }

    /** The days of a month that match, as bits; {@code firstDay} is its first one. */
    private int in(int year, int month, long firstDay) {
        int length = lengthOf(year, month);
        // The epoch began on a Thursday.
        int firstWeekday = (int) Math.floorMod(firstDay + 3, (long) WEEK);
        return ofMonth(length, firstWeekday) & ofWeek(length, firstWeekday) & upTo(length);
    }

    private int ofMonth(int length, int firstWeekday) {
        int found = days;
        if (fromEnd != 0) {
            // Bit n goes to length - n: turned round, then moved into place.
            found |= Integer.reverse(fromEnd) >>> (Integer.SIZE - 1 - length);
        }
        for (int rest = nearest & upTo(length); rest != 0; rest &= rest - 1) {
            found |= 1 << nearestWeekday(Integer.numberOfTrailingZeros(rest), length, firstWeekday);
        }
        if (isLastWeekday) {
            int last = (firstWeekday + length - 1) % WEEK;
            found |= 1 << (length - Math.max(0, last - SATURDAY + 1));
        }
        return found;
    }

    private static int nearestWeekday(int day, int length, int firstWeekday) {
        int weekday = (firstWeekday + day - 1) % WEEK;
        if (weekday == SATURDAY) {
            return day == 1 ? 3 : day - 1;
        }
        if (weekday == SUNDAY) {
            return day == length ? day - 2 : day + 1;
        }
        return day;
    }

    private int ofWeek(int length, int firstWeekday) {
        // The pattern of a week, begun with the day of the week that the month begins with, once for each week; day 1
        // is bit 1.
        long week = (weekdays | (long) weekdays << WEEK) >>> firstWeekday & ALL_WEEKDAYS;
        int found = (int) (week * (EACH_WEEK << 1));
        for (long rest = ordinals; rest != 0; rest &= rest - 1) {
            int bit = Long.numberOfTrailingZeros(rest);
            int first = 1 + Math.floorMod(bit / ORDINALS - firstWeekday, WEEK);
            int ordinal = bit % ORDINALS + 1;
            int day = ordinal == LAST ? first + (length - first) / WEEK * WEEK : first + (ordinal - 1) * WEEK;
            if (day <= length) {
                found |= 1 << day;
            }
        }
        return found;
    }

    private static int upTo(int length) {
        return -1 >>> (Integer.SIZE - 1 - length) & ALL_DAYS;
    }

    private static boolean isIn(int bits, int value) {
        return (bits & 1 << value) != 0;
    }

    private static int lengthOf(int year, int month) {
        return switch (month) {
            case 2 -> (year & 3) == 0 && (year % 100 != 0 || year % CYCLE_YEARS == 0) ? 29 : 28;
            case 4, 6, 9, 11 -> 30;
            default -> 31;
        };
    }
}
