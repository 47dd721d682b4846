package io.tickwheel.engine.rule;

import io.tickwheel.store.SpawnCommand;
import io.tickwheel.store.TimerKey;
import java.util.OptionalLong;

/**
 * The keys of runs: that of the plan, U+001F, and what names the run. No caller can make a timer with such a key.
 *
 * <pre>
 *   backup U+001F 17                    the seventeenth run
 *   backup U+001F now-1924905600000     one that was asked for beside the plan, at that time
 * </pre>
 */
public final class RunKeys {

    private static final String NOW = "now-";
    private static final int MAX_DIGITS = 19;

    private RunKeys() {}

    public static String of(String key, long number) {
        return key + SpawnCommand.SEPARATOR + number;
    }

    public static TimerKey of(TimerKey plan, long number) {
        return new TimerKey(plan.queue(), of(plan.key(), number));
    }

    /** Of a run that nobody but its caller has planned. */
    public static TimerKey now(TimerKey plan, long nowMs) {
        return new TimerKey(plan.queue(), plan.key() + SpawnCommand.SEPARATOR + NOW + nowMs);
    }

    /** The key of the plan of a run; any other key as it is. */
    public static String planOf(String key) {
        int at = key.indexOf(SpawnCommand.SEPARATOR);
        return at < 0 ? key : key.substring(0, at);
    }

    /** The number of a run; empty for one without, and for what is none. */
    public static OptionalLong number(String key) {
        int at = key.indexOf(SpawnCommand.SEPARATOR);
        return at >= 0 && areDigits(key, at + 1)
                ? OptionalLong.of(Long.parseLong(key.substring(at + 1)))
                : OptionalLong.empty();
    }

    /** Whether it is the key of a run, as far as what is behind the key of its plan. */
    public static boolean isRun(String key) {
        int at = key.indexOf(SpawnCommand.SEPARATOR);
        return at >= 0
                && (areDigits(key, at + 1) || (key.startsWith(NOW, at + 1) && areDigits(key, at + 1 + NOW.length())));
    }

    /** As many as a long that is written so may have, and without a zero that leads. */
    private static boolean areDigits(String text, int from) {
        int digits = text.length() - from;
        if (digits < 1 || digits > MAX_DIGITS || text.charAt(from) == '0') {
            return false;
        }
        for (int i = from; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return digits < MAX_DIGITS || text.substring(from).compareTo(Long.toString(Long.MAX_VALUE)) <= 0;
    }
}
