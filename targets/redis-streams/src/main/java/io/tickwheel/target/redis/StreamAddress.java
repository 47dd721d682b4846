package io.tickwheel.target.redis;

import io.tickwheel.engine.InvalidTargetException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The stream of a destination, and how long it may become. As a string, which is kept with timers, it is the bound, a blank and the name: {@code ~100000 orders} for about 100,000
 * entries, {@code =5 orders} for five, {@code * orders} for all. Immutable.
 *
 * @param stream the key of the stream; empty for the name of the timer's queue
 * @param maxLen how many entries are kept; 0 for all
 * @param approximate whether Redis may keep some more, which is faster
 */
record StreamAddress(String stream, long maxLen, boolean approximate) {

    static final int MOST_NAME_BYTES = 512;
    static final long MOST_ENTRIES = 1_000_000_000_000L;

    private static final String ALL = "*";
    private static final Pattern BOUND = Pattern.compile("([~=])([1-9][0-9]{0,12})");
    private static final String FORM =
            "must be the name of a stream without blanks and, after a blank, ~N or =N, with N from 1 to "
                    + MOST_ENTRIES;

    /** Returns the rule that a name breaks; null when it breaks none. */
    static @Nullable String brokenRule(String stream) {
        int bytes = stream.getBytes(StandardCharsets.UTF_8).length;
        return bytes >= 1 && bytes <= MOST_NAME_BYTES
                ? null
                : "has " + bytes + " bytes, must have 1 to " + MOST_NAME_BYTES;
    }

    /** Reads what {@link #toString} wrote; null when it is something else. */
    static @Nullable StreamAddress parse(String address) {
        int blank = address.indexOf(' ');
        if (blank < 0) {
            return null;
        }
        String stream = address.substring(blank + 1);
        if (!stream.isEmpty() && brokenRule(stream) != null) {
            return null;
        }
        return bounded(stream, address.substring(0, blank));
    }

    /**
     * Reads a setting: nothing, a name, or a name and a bound.
     *
     * @throws InvalidTargetException when it is something else
     */
    static StreamAddress ofSetting(String text) {
        String[] parts = text.split(" ", -1);
        String rule = text.isEmpty() ? null : brokenRule(parts[0]);
        if (rule != null) {
            throw new InvalidTargetException(InvalidTargetException.INVALID_TARGET, rule);
        }
        StreamAddress address = parts.length > 2 ? null : bounded(parts[0], parts.length == 1 ? ALL : parts[1]);
        if (address == null) {
            throw new InvalidTargetException(InvalidTargetException.INVALID_TARGET, FORM);
        }
        return address;
    }

    private static @Nullable StreamAddress bounded(String stream, String bound) {
        if (bound.equals(ALL)) {
            return new StreamAddress(stream, 0, false);
        }
        Matcher parts = BOUND.matcher(bound);
        if (!parts.matches()) {
            return null;
        }
        long maxLen = Long.parseLong(parts.group(2));
        return maxLen > MOST_ENTRIES
                ? null
                : new StreamAddress(stream, maxLen, parts.group(1).equals("~"));
    }

    @Override
    public String toString() {
        String bound = maxLen == 0 ? ALL : (approximate ? "~" : "=") + maxLen;
        return bound + " " + stream;
    }
}
