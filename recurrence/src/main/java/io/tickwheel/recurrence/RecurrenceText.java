package io.tickwheel.recurrence;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The text form of a recurrence. It is stored: what was written once is read by every later version.
 *
 * <pre>
 *   pace *( "; " part )                        the parts in this order, each at most once, those with a default only when they differ from it
 *
 *   pace:  every DURATION | delay DURATION | cron EXPRESSION; zone ZONE
 *   part:  from INSTANT | until INSTANT | count N | misfire skip | misfire all | overlap queue | overlap allow
 * </pre>
 *
 * Durations and instants are those of ISO 8601, as {@link Duration} and {@link Instant} write them.
 */
final class RecurrenceText {

    private static final int MAX_LENGTH = 2_000;
    private static final String SEPARATOR = "; ";

    /** What was read lately: a plan is read at each of its runs, and many plans have one text. */
    private static final Map<String, Recurrence> READ = new ConcurrentHashMap<>();

    private static final int MOST_READ = 1_024;

    private final String text;
    private final Deque<String> parts;

    private RecurrenceText(String text) {
        this.text = text;
        parts = new ArrayDeque<>(List.of(text.split(SEPARATOR, -1)));
    }

    static String write(Recurrence recurrence, Pace pace) {
        StringBuilder text = new StringBuilder(pace.text());
        append(text, "from", recurrence.from());
        append(text, "until", recurrence.until());
        recurrence.count().ifPresent(count -> append(text, "count", count));
        append(text, "misfire", recurrence.misfire() == Misfire.ONCE ? null : lower(recurrence.misfire()));
        append(text, "overlap", recurrence.overlap() == Overlap.SKIP ? null : lower(recurrence.overlap()));
        return text.toString();
    }

    private static void append(StringBuilder text, String name, @Nullable Object value) {
        if (value != null) {
            text.append(SEPARATOR).append(name).append(' ').append(value);
        }
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    static Recurrence parse(String text) {
        Recurrence known = READ.get(text);
        if (known != null) {
            return known;
        }
        Recurrence read = parseNew(text);
        if (READ.size() >= MOST_READ) {
            READ.clear();
        }
        READ.put(text, read);
        return read;
    }

    /** How many texts are kept with what was read from them. */
    static int kept() {
        return READ.size();
    }

    private static Recurrence parseNew(String text) {
        if (text.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "recurrence has " + text.length() + " characters, must have at most " + MAX_LENGTH);
        }
        RecurrenceText parser = new RecurrenceText(text);
        Recurrence read;
        try {
            read = parser.read();
        } catch (DateTimeException | NumberFormatException e) {
            throw new IllegalArgumentException("recurrence is '" + text + "': " + e.getMessage(), e);
        }
        if (!read.toString().equals(text)) {
            throw new IllegalArgumentException("recurrence is '" + text + "', must be written as '" + read + "'");
        }
        return read;
    }

    private Recurrence read() {
        Recurrence read = readPace();
        read = with(read, "from", value -> Instant.parse(value), Recurrence::withFrom);
        read = with(read, "until", value -> Instant.parse(value), Recurrence::withUntil);
        read = with(read, "count", Long::parseLong, Recurrence::withCount);
        read = with(read, "misfire", value -> constant(Misfire.values(), value), Recurrence::withMisfire);
        read = with(read, "overlap", value -> constant(Overlap.values(), value), Recurrence::withOverlap);
        if (!parts.isEmpty()) {
            throw refused("must not have '" + parts.peek() + "' there");
        }
        return read;
    }

    private Recurrence readPace() {
        String every = take("every");
        if (every != null) {
            return Recurrence.fixedRate(Duration.parse(every));
        }
        String delay = take("delay");
        if (delay != null) {
            return Recurrence.fixedDelay(Duration.parse(delay));
        }
        String cron = take("cron");
        String zone = take("zone");
        if (cron == null || zone == null) {
            throw refused("must begin with 'every DURATION', 'delay DURATION' or 'cron EXPRESSION; zone ZONE'");
        }
        return Recurrence.cron(cron, zone(zone));
    }

    private static ZoneId zone(String id) {
        try {
            return ZoneId.of(id);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "zone is '" + id + "', must be one that is known, such as Europe/Berlin", e);
        }
    }

    private <T> Recurrence with(
            Recurrence read, String name, Function<String, T> reader, BiFunction<Recurrence, T, Recurrence> change) {
        String value = take(name);
        return value == null ? read : change.apply(read, reader.apply(value));
    }

    /** The value of the next part when it has a name, else null. */
    private @Nullable String take(String name) {
        String next = parts.peek();
        if (next == null || !next.startsWith(name + " ")) {
            return null;
        }
        parts.remove();
        return next.substring(name.length() + 1);
    }

    private <E extends Enum<E>> E constant(E[] values, String value) {
        for (E each : values) {
            if (lower(each).equals(value)) {
                return each;
            }
        }
        throw refused("must not have '" + value + "' there");
    }

    private IllegalArgumentException refused(String rule) {
        return new IllegalArgumentException("recurrence is '" + text + "', " + rule);
    }
}
