package io.tickwheel.server.targets;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Names of hosts: {@code shop.internal}, and {@code *.shop.internal} for all below it. Immutable. */
final class HostNames {

    private static final Pattern NAME = Pattern.compile("(\\*\\.)?[A-Za-z0-9_-]{1,63}(\\.[A-Za-z0-9_-]{1,63})*");

    private final Set<String> names = new HashSet<>();
    private final Set<String> parents = new HashSet<>();

    /**
     * Takes names as they are written.
     *
     * @throws IllegalArgumentException with the rule that one breaks
     */
    HostNames(Iterable<String> texts) {
        for (String text : texts) {
            if (!NAME.matcher(text).matches()) {
                throw new IllegalArgumentException("must be a name, or one behind '*.'");
            }
            String name = plain(text);
            if (name.startsWith("*.")) {
                parents.add(name.substring(2));
            } else {
                names.add(name);
            }
        }
    }

    /** A name as it is compared: in lower case, without the dot that may stand at its end. */
    static String plain(String host) {
        String lower = host.toLowerCase(Locale.ROOT);
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }

    /** @param host as {@link #plain} has it */
    boolean contain(String host) {
        if (names.contains(host)) {
            return true;
        }
        for (int dot = parents.isEmpty() ? -1 : host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
            if (parents.contains(host.substring(dot + 1))) {
                return true;
            }
        }
        return false;
    }
}
