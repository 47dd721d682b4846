package io.tickwheel.engine;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a target as somebody wrote them, as neutral values, and refusals for those that are not as they must be. Immutable.
 */
public final class TargetFields {

    private final String path;
    private final Map<String, @Nullable Object> values;

    private TargetFields(String path, Map<String, @Nullable Object> values) {
        this.path = path;
        this.values = values;
    }

    /** Makes fields of neutral values; the map is copied, what is in it is not. */
    public static TargetFields of(Map<String, ? extends @Nullable Object> values) {
        return new TargetFields("", Collections.unmodifiableMap(new LinkedHashMap<>(values)));
    }

    /** Whether a field is there, be it null. */
    public boolean has(String name) {
        return values.containsKey(name);
    }

    /** The names of all fields that are there, in their order. */
    public List<String> names() {
        return List.copyOf(values.keySet());
    }

    /** A field that must be there and be a string, which is valid Unicode. */
    public String text(String name) {
        if (values.get(name) instanceof String text) {
            return text;
        }
        throw wrongType(name, "a string");
    }

    /** A field that must be a string when it is there; {@code absent} when it is not. */
    public String text(String name, String absent) {
        return has(name) ? text(name) : absent;
    }

    /** A field that must be there and be an integer in a range. */
    public long integer(String name, long lowest, long highest) {
        if (!(values.get(name) instanceof Long number)) {
            throw wrongType(name, "an integer");
        }
        if (number < lowest || number > highest) {
            throw invalid(name, "out_of_range", "must be " + lowest + " to " + highest);
        }
        return number;
    }

    /** A field that must be a boolean when it is there; {@code absent} when it is not. */
    public boolean bool(String name, boolean absent) {
        if (!has(name)) {
            return absent;
        }
        if (values.get(name) instanceof Boolean value) {
            return value;
        }
        throw wrongType(name, "true or false");
    }

    /** A field that must be there and be an object, whose fields are all among the names given. */
    public TargetFields object(String name, String... known) {
        if (!(values.get(name) instanceof Map<?, ?> object)) {
            throw wrongType(name, "an object");
        }
        Map<String, @Nullable Object> inner = new LinkedHashMap<>();
        object.forEach((key, value) -> inner.put(String.valueOf(key), value));
        TargetFields fields = new TargetFields(path + name + ".", Collections.unmodifiableMap(inner));
        for (String field : inner.keySet()) {
            if (!List.of(known).contains(field)) {
                throw new InvalidTargetException(
                        InvalidTargetException.UNKNOWN_FIELD, fields.path + field, "is not known, must not be sent");
            }
        }
        return fields;
    }

    /**
     * Refuses the value of a field.
     *
     * @param code as for {@link InvalidTargetException#InvalidTargetException(String, String)}
     * @param rule what must be, or is wrong
     */
    public InvalidTargetException invalid(String name, String code, String rule) {
        return new InvalidTargetException(code, path + name, values.get(name), rule);
    }

    private InvalidTargetException wrongType(String name, String wanted) {
        return has(name)
                ? invalid(name, InvalidTargetException.WRONG_TYPE, "must be " + wanted)
                : new InvalidTargetException(
                        InvalidTargetException.INVALID_TARGET, path + name, "is missing, must be " + wanted);
    }
}
