package io.tickwheel.server.cli;

import io.tickwheel.server.config.StartException;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.JsonOut;
import io.tickwheel.server.wire.TargetKinds;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads what is set of a queue from words such as {@code rate=100}, and makes of it the JSON that the server takes. The server
 * knows the ranges; what is looked at here is only what kind of value it is.
 *
 * <p>Worked example: {@code rate=100 burst=20 paused=} is {@code {"rate":{"perSecond":100,"burst":20},"paused":null}}.
 */
final class QueueAssignments {

    /** What kind of value a setting has. */
    private enum Kind {
        TEXT,
        NUMBER,
        FLAG,
        LIST,
        SECRETS,
        TARGET
    }

    /**
     * Where a setting stands in the JSON.
     *
     * @param inner the field of the object that {@code field} is; empty when that is the value itself
     */
    private record Place(Kind kind, String field, String inner) {}

    private static final Map<String, Place> PLACES = places();

    private final TargetKinds kinds;
    private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    private final Set<String> seen = new HashSet<>();

    private QueueAssignments(TargetKinds kinds) {
        this.kinds = kinds;
    }

    private static Map<String, Place> places() {
        Map<String, Place> places = new TreeMap<>();
        places.put("target", new Place(Kind.TARGET, "target", ""));
        places.put("rate", new Place(Kind.NUMBER, "rate", "perSecond"));
        places.put("burst", new Place(Kind.NUMBER, "rate", "burst"));
        places.put("slowStart", new Place(Kind.NUMBER, "slowStart", "perSecond"));
        for (String retry : List.of("maxAttempts", "factor", "jitter")) {
            places.put("retry." + retry, new Place(Kind.NUMBER, "retry", retry));
        }
        for (String retry : List.of("backoff", "interval", "maxBackoff")) {
            places.put("retry." + retry, new Place(Kind.TEXT, "retry", retry));
        }
        places.put("retry.delays", new Place(Kind.LIST, "retry", "delays"));
        places.put("delayLevels", new Place(Kind.LIST, "delayLevels", ""));
        places.put("secrets", new Place(Kind.SECRETS, "secrets", ""));
        for (String number : List.of("concurrency", "maxPending", "deadPerQueue")) {
            places.put(number, new Place(Kind.NUMBER, number, ""));
        }
        for (String flag : List.of("paused", "excerpts", "cloudEvents")) {
            places.put(flag, new Place(Kind.FLAG, flag, ""));
        }
        for (String duration : List.of("expireAfter", "deadFor")) {
            places.put(duration, new Place(Kind.TEXT, duration, ""));
        }
        return places;
    }

    /** @throws StartException when one of them cannot be read */
    static String toJson(List<String> assignments, TargetKinds kinds) {
        QueueAssignments read = new QueueAssignments(kinds);
        assignments.forEach(read::add);
        if (read.seen.contains("burst") && !read.seen.contains("rate")) {
            throw ToolArguments.wrong("burst is there, must be with rate only");
        }
        return new JsonOut(256).value(read.fields).toBuffer().toString(StandardCharsets.UTF_8);
    }

    private void add(String assignment) {
        int equals = assignment.indexOf('=');
        if (equals < 0) {
            throw ToolArguments.wrong(
                    Excerpt.quoted(assignment) + " has no '=', must be KEY=VALUE, or KEY= to clear it");
        }
        String name = assignment.substring(0, equals);
        String value = assignment.substring(equals + 1);
        if (!seen.add(name)) {
            throw ToolArguments.wrong(name + " is there twice, must be at most once");
        }
        if (value.isEmpty()) {
            clear(name);
            return;
        }
        Place place = PLACES.get(name);
        if (place == null) {
            throw unknown(name);
        }
        Object read = value(name, value, place.kind());
        if (place.inner().isEmpty()) {
            fields.put(place.field(), read);
        } else {
            object(place.field()).put(place.inner(), read);
        }
    }

    private void clear(String name) {
        boolean isField =
                PLACES.values().stream().anyMatch(place -> place.field().equals(name));
        if (!isField) {
            Place place = PLACES.get(name);
            throw place == null
                    ? unknown(name)
                    : ToolArguments.wrong(
                            name + " has no value, must have one; " + place.field() + "= clears all of it");
        }
        if (fields.containsKey(name)) {
            throw bothSetAndCleared(name);
        }
        fields.put(name, null);
    }

    private Map<String, Object> object(String field) {
        if (fields.containsKey(field) && fields.get(field) == null) {
            throw bothSetAndCleared(field);
        }
        @SuppressWarnings("unchecked") // what has an inner name is put by this method only
        Map<String, Object> object =
                (Map<String, Object>) fields.computeIfAbsent(field, unknown -> new LinkedHashMap<String, Object>());
        return object;
    }

    private Object value(String name, String value, Kind kind) {
        return switch (kind) {
            case TEXT -> value;
            case NUMBER -> number(name, value);
            case FLAG -> flag(name, value);
            case LIST -> Arrays.asList(value.split(",", -1));
            case SECRETS -> secrets(name, value);
            case TARGET -> ToolArguments.target(name, value, kinds);
        };
    }

    /** With commas between, or one a line in a file, which other users of the machine do not see. */
    private static List<String> secrets(String name, String value) {
        if (!value.startsWith("@")) {
            return Arrays.asList(value.split(",", -1));
        }
        Path file = ToolArguments.file(name, value.substring(1));
        try {
            return Files.readAllLines(file).stream()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .toList();
        } catch (IOException e) {
            throw new StartException(
                    name + ": " + file + " cannot be read: " + ToolArguments.reason(e), StartException.IO_ERROR, e);
        }
    }

    private static BigDecimal number(String name, String value) {
        try {
            return new BigDecimal(value);
        } catch (NumberFormatException e) {
            throw ToolArguments.wrong(name, value, "must be a number");
        }
    }

    private static Boolean flag(String name, String value) {
        return switch (value) {
            case "true" -> true;
            case "false" -> false;
            default -> throw ToolArguments.wrong(name, value, "must be true or false");
        };
    }

    private static RuntimeException unknown(String name) {
        return ToolArguments.wrong(Excerpt.quoted(name) + " is no setting of a queue, must be retry= or one of "
                + String.join(", ", PLACES.keySet()));
    }

    private static RuntimeException bothSetAndCleared(String name) {
        return ToolArguments.wrong(name + " is set and cleared, must be one of both");
    }
}
