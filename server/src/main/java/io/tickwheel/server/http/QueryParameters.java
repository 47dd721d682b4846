package io.tickwheel.server.http;

import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.ProblemException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The parameters of a query: each known to the call, and there at most once. A '+' stands for itself. */
final class QueryParameters {

    private final Map<String, String> values = new HashMap<>();

    private QueryParameters() {}

    /**
     * Reads a raw query.
     *
     * @param known the names that the call takes; what else is there might be a filter that was misspelt, and must not widen
     *     a call
     * @throws ProblemException when it cannot be read, or has what it must not have
     */
    static QueryParameters read(String query, Set<String> known) {
        QueryParameters parameters = new QueryParameters();
        if (!query.isEmpty()) {
            for (String pair : query.split("&", -1)) {
                parameters.add(pair, known);
            }
        }
        return parameters;
    }

    private void add(String pair, Set<String> known) {
        int equals = pair.indexOf('=');
        String name = equals < 0 ? pair : pair.substring(0, equals);
        if (!known.contains(name)) {
            String rule = known.isEmpty() ? "must not be sent" : "must be one of " + new TreeSet<>(known);
            throw new Problem(
                            ProblemCode.UNKNOWN_PARAMETER,
                            "query parameter " + Excerpt.quoted(name) + " is not known, " + rule,
                            Excerpt.of(name))
                    .exception();
        }
        if (equals < 0) {
            throw new Problem(
                            ProblemCode.MALFORMED_QUERY, name + " has no value, must be written " + name + "=...", name)
                    .exception();
        }
        if (values.put(name, decode(name, pair.substring(equals + 1))) != null) {
            throw new Problem(ProblemCode.DUPLICATE_PARAMETER, name + " is there twice, must be at most once", name)
                    .exception();
        }
    }

    private static String decode(String name, String raw) {
        try {
            return PathText.decode(raw);
        } catch (ProblemException e) {
            throw new Problem(
                            ProblemCode.MALFORMED_QUERY,
                            name + " is " + Excerpt.quoted(raw) + ", must be percent-encoded UTF-8",
                            name)
                    .exception();
        }
    }

    /** The decoded value; null when it is not there. */
    @Nullable
    String get(String name) {
        return values.get(name);
    }

    /** True or false, the latter when it is not there. */
    boolean flag(String name) {
        String text = values.get(name);
        if (text != null && !text.equals("true") && !text.equals("false")) {
            throw new Problem(
                            ProblemCode.INVALID_CHOICE,
                            name + " is " + Excerpt.quoted(text) + ", must be true or false",
                            name)
                    .exception();
        }
        return "true".equals(text);
    }

    /** A number; {@code absent} when it is not there. */
    int number(String name, int lowest, int highest, int absent) {
        String text = values.get(name);
        if (text == null) {
            return absent;
        }
        boolean digits = !text.isEmpty() && text.length() <= 9 && text.chars().allMatch(c -> c >= '0' && c <= '9');
        int value = digits ? Integer.parseInt(text) : -1;
        if (value < lowest || value > highest) {
            throw refused(ProblemCode.OUT_OF_RANGE, name, "must be " + lowest + " to " + highest);
        }
        return value;
    }

    /** Why the value of a parameter that is there is not taken. */
    ProblemException refused(ProblemCode code, String name, @Nullable String rule) {
        return new Problem(code, name + " is " + Excerpt.quoted(String.valueOf(values.get(name))) + ", " + rule, name)
                .exception();
    }
}
