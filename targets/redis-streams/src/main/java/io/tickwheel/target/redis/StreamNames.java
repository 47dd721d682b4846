package io.tickwheel.target.redis;

import io.tickwheel.engine.InvalidTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which streams timers may go to: those that the option {@code streams} lists, by name or by a beginning, {@code orders, shop-*}; without it all but names that have the
 * form of a key of a store on Redis. A beginning lets such names in only when it has that form itself. Immutable.
 */
final class StreamNames {

    static final String OPTION = "streams";

    private static final String ANY = "*";
    private static final String RULE =
            "must be names of streams, or beginnings with " + ANY + " at the end, with commas between them";

    /** Keys of a store are {@code NAMESPACE:{TAG}:WHAT}. */
    private static final Pattern STORE_KEY = Pattern.compile(":\\{.+}:", Pattern.DOTALL);

    private static final String TAG_BEGINS = ":{";

    /** Null when the option is not there. */
    private final @Nullable List<String> listed;

    private StreamNames(@Nullable List<String> listed) {
        this.listed = listed;
    }

    /**
     * Reads the option.
     *
     * @throws InvalidTargetException with its name as the field, when it breaks its rule
     */
    static StreamNames read(Map<String, String> settings) {
        String text = settings.get(OPTION);
        if (text == null) {
            return new StreamNames(null);
        }
        List<String> listed = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            String entry = part.strip();
            int star = entry.indexOf(ANY);
            boolean isEntry = star < 0 || star == entry.length() - 1;
            if (entry.isEmpty() || !isEntry) {
                throw new InvalidTargetException(InvalidTargetException.INVALID_TARGET, OPTION, RULE);
            }
            listed.add(entry);
        }
        return new StreamNames(List.copyOf(listed));
    }

    /** Returns the rule that a name breaks; null when timers may go there. */
    @Nullable
    String refusal(String stream) {
        boolean isStoreKey = STORE_KEY.matcher(stream).find();
        if (listed == null) {
            return isStoreKey
                    ? "has the form of a key of a store, NAME:{TAG}:NAME, must be in targets.redis-streams." + OPTION
                    : null;
        }
        for (String entry : listed) {
            if (isIn(entry, stream, isStoreKey)) {
                return null;
            }
        }
        return "must be in targets.redis-streams." + OPTION;
    }

    private static boolean isIn(String entry, String stream, boolean isStoreKey) {
        if (!entry.endsWith(ANY)) {
            return entry.equals(stream);
        }
        String beginning = entry.substring(0, entry.length() - ANY.length());
        return stream.startsWith(beginning) && (!isStoreKey || beginning.contains(TAG_BEGINS));
    }
}
