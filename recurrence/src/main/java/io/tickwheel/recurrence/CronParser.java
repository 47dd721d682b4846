package io.tickwheel.recurrence;

import java.time.ZoneId;
import java.util.Locale;
import java.util.Map;

/** Reads a cron expression. */
final class CronParser {

    private static final int MAX_LENGTH = 1_000;
    private static final int FIELDS = 6;
    private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    private static final String ALLOWED = LETTERS + "0123456789*?,-/#@ \t";
    private static final Map<String, String> MACROS = Map.of(
            "@HOURLY", "0 0 * * * *",
            "@DAILY", "0 0 0 * * *",
            "@MIDNIGHT", "0 0 0 * * *",
            "@WEEKLY", "0 0 0 * * 0",
            "@MONTHLY", "0 0 0 1 * *",
            "@YEARLY", "0 0 0 1 1 *",
            "@ANNUALLY", "0 0 0 1 1 *");

    private int days;
    private int fromEnd;
    private int nearest;
    private boolean isLastWeekday;
    private long weekdays;
    private long ordinals;

    private CronParser() {}

    static Cron parse(String expression, ZoneId zone) {
        if (expression.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "cron expression has " + expression.length() + " characters, must have at most " + MAX_LENGTH);
        }
        String text = String.join(" ", expression.strip().split("[ \t]+", -1));
        String upper = upper(text);
        String[] fields = MACROS.getOrDefault(upper, upper).split(" ", -1);
        if (fields.length == FIELDS - 1) {
            fields = ("0 " + upper).split(" ", -1);
        }
        if (fields.length != FIELDS) {
            throw new IllegalArgumentException("cron expression is '" + text
                    + "', must have 6 fields (second minute hour day-of-month month day-of-week), or 5 without the second, or be one of"
                    + " @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually");
        }
        return new CronParser().read(text, fields, zone);
    }

    /** Only of letters that have one form each, whatever the language. */
    private static String upper(String text) {
        String upper = text.toUpperCase(Locale.ROOT);
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > '\u007f' || ALLOWED.indexOf(upper.charAt(i)) < 0) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "cron expression has the character U+%04X at index %d, must have letters, digits and * ? , - / # @ only",
                        (int) text.charAt(i),
                        i));
            }
        }
        return upper;
    }

    private Cron read(String text, String[] fields, ZoneId zone) {
        CronTimes times = new CronTimes(values(CronField.SECOND, fields[0]), values(CronField.MINUTE, fields[1]), (int)
                values(CronField.HOUR, fields[2]));
        int months = (int) values(CronField.MONTH, fields[4]);
        for (String item : items(CronField.DAY_OF_MONTH, fields[3])) {
            dayOfMonth(item);
        }
        for (String item : items(CronField.DAY_OF_WEEK, fields[5])) {
            dayOfWeek(item);
        }
        // Monday is 1 in the text and 0 among the days.
        int weekdayBits = (int) (weekdays >>> 1);
        return new Cron(
                text, zone, times, new CronDays(months, days, fromEnd, nearest, isLastWeekday, weekdayBits, ordinals));
    }

    private static long values(CronField field, String text) {
        long values = 0;
        for (String item : items(field, text)) {
            values |= field.values(item);
        }
        return values;
    }

    private static String[] items(CronField field, String text) {
        String[] items = text.split(",", -1);
        for (String item : items) {
            if (item.isEmpty()) {
                throw field.refused(text, "must have a value between commas");
            }
        }
        return items.length == 1 && text.equals("?") && isDay(field) ? new String[] {"*"} : items;
    }

    private static boolean isDay(CronField field) {
        return field == CronField.DAY_OF_MONTH || field == CronField.DAY_OF_WEEK;
    }

    private void dayOfMonth(String item) {
        CronField field = CronField.DAY_OF_MONTH;
        if (item.equals("L")) {
            fromEnd |= 1;
        } else if (item.equals("LW")) {
            isLastWeekday = true;
        } else if (item.startsWith("L-")) {
            fromEnd |= 1 << field.number(item, item.substring(2), 1, 30, "the days before the last one");
        } else if (item.endsWith("W")) {
            nearest |= 1 << field.value(item, item.substring(0, item.length() - 1));
        } else {
            days |= (int) field.values(item);
        }
    }

    private void dayOfWeek(String item) {
        CronField field = CronField.DAY_OF_WEEK;
        int hash = item.indexOf('#');
        if (hash >= 0) {
            int ordinal = field.number(item, item.substring(hash + 1), 1, 5, "the number after #");
            ordinal(field.value(item, item.substring(0, hash)), ordinal);
        } else if (item.endsWith("L")) {
            ordinal(field.value(item, item.substring(0, item.length() - 1)), CronDays.LAST);
        } else {
            weekdays |= field.values(item);
        }
    }

    private void ordinal(int value, int ordinal) {
        int weekday = (value == 0 ? CronField.SUNDAY : value) - 1;
        ordinals |= 1L << (weekday * CronDays.ORDINALS + ordinal - 1);
    }
}
