package io.tickwheel.recurrence;

/** A field of a cron expression: which values it has, and how the ordinary items of its list are written. */
enum CronField {
    SECOND("second", 0, 59, ""),
    MINUTE("minute", 0, 59, ""),
    HOUR("hour", 0, 23, ""),
    DAY_OF_MONTH("day-of-month", 1, 31, ""),
    MONTH("month", 1, 12, "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC"),
    DAY_OF_WEEK("day-of-week", 1, 7, "MON TUE WED THU FRI SAT SUN");

    static final int SUNDAY = 7;

    private static final int MAX_DIGITS = 2;
    private static final int NAME = 3;

    private final String title;
    private final int min;
    private final int max;
    private final String names;

    CronField(String title, int min, int max, String names) {
        this.title = title;
        this.min = min;
        this.max = max;
        this.names = names;
    }

    /** All values, as bits. */
    long all() {
        return bits(min, max, 1);
    }

    /** The values of an item such as {@code *}, {@code 5}, {@code 5-10}, {@code 5/10} or {@code 5-30/10}, as bits. */
    long values(String item) {
        int slash = item.indexOf('/');
        String range = slash < 0 ? item : item.substring(0, slash);
        int step = slash < 0 ? 1 : step(item, item.substring(slash + 1));
        if (range.equals("*")) {
            return bits(min, max, step);
        }
        int hyphen = range.indexOf('-');
        int from = value(item, hyphen < 0 ? range : range.substring(0, hyphen));
        int to = to(item, from, hyphen < 0 ? "" : range.substring(hyphen + 1), hyphen >= 0, slash >= 0);
        if (this == DAY_OF_WEEK && from == SUNDAY && (to < SUNDAY || (slash >= 0 && hyphen < 0))) {
            from = 0;
        }
        if (from > to) {
            throw refused(item, "the first of a range must not be greater than the last; write it as two ranges");
        }
        long bits = bits(from, to, step);
        return this == DAY_OF_WEEK && (bits & 1) != 0 ? (bits & ~1L) | 1L << SUNDAY : bits;
    }

    private int to(String item, int from, String text, boolean isRange, boolean isStepped) {
        if (isRange) {
            return value(item, text);
        }
        return isStepped ? max : from;
    }

    /** Reads one value, a number or a name; of the days of the week 0 is Sunday, too. */
    int value(String item, String text) {
        if (text.length() == NAME && names.contains(text)) {
            return names.indexOf(text) / (NAME + 1) + min;
        }
        int value = number(item, text);
        if (value > max || (value < min && !(this == DAY_OF_WEEK && value == 0))) {
            throw refused(item, rule());
        }
        return value;
    }

    /** Reads a number of a range that is not the range of the field. */
    int number(String item, String text, int least, int greatest, String what) {
        int value = number(item, text);
        if (value < least || value > greatest) {
            throw refused(item, what + " must be " + least + " to " + greatest);
        }
        return value;
    }

    private int step(String item, String text) {
        return number(item, text, 1, max - min + 1, "the step");
    }

    private int number(String item, String text) {
        if (text.isEmpty() || text.length() > MAX_DIGITS || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw refused(item, rule());
        }
        return Integer.parseInt(text);
    }

    IllegalArgumentException refused(String value, String rule) {
        return new IllegalArgumentException(title + " is '" + value + "', " + rule);
    }

    private String rule() {
        String numbers = "must be " + (this == DAY_OF_WEEK ? 0 : min) + " to " + max;
        return names.isEmpty() ? numbers : numbers + ", or one of " + names;
    }

    private static long bits(int from, int to, int step) {
        long bits = 0;
        for (int value = from; value <= to; value += step) {
            bits |= 1L << value;
        }
        return bits;
    }
}
