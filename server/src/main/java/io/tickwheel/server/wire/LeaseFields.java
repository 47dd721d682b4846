package io.tickwheel.server.wire;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.tickwheel.engine.DurationText;
import io.tickwheel.engine.LeaseRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The bodies of the calls on leases. */
public final class LeaseFields {

    /** How many leases one call may name. */
    public static final int MOST_LEASES = 1_000;

    /** The longest until the next attempt of what is given back. */
    public static final Duration LONGEST_DELAY = Duration.ofDays(30);

    private LeaseFields() {}

    /** What is done with a lease. */
    public enum Action {
        ACK,
        NACK,
        EXTEND,
        BURY
    }

    /**
     * What is asked of leases.
     *
     * @param leases their ids, each once; empty in a call that names one in its path
     * @param delay until the next attempt; null for that of the retry policy
     * @param reason why; empty when nothing is said
     * @param ttl how long they are to last; null where that is not asked
     */
    public record Ask(
            List<String> leases,
            @Nullable Duration delay,
            String reason,
            @Nullable Duration ttl) {

        public Ask {
            leases = List.copyOf(leases);
        }

        /** Of which nothing is said. */
        public static final Ask NOTHING = new Ask(List.of(), null, "", null);
    }

    /**
     * Reads what a consumer asks for.
     *
     * @throws ProblemException when the bytes are no such body
     */
    public static LeaseRequest poll(String queue, byte[] bytes) {
        return JsonBody.read(bytes, json -> {
            LeaseRequest request = LeaseRequest.of(queue);
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                json.nextToken();
                request = switch (name) {
                    case "max" -> request.withMax((int) FieldValues.integer(json, name, 1, LeaseRequest.MOST));
                    case "wait" -> request.withWait(duration(json, name, Duration.ZERO, LeaseRequest.LONGEST_WAIT));
                    case "ttl" -> request.withTtl(ttl(json));
                    default -> throw FieldValues.unknownField(name);
                };
            }
            return request;
        });
    }

    /**
     * Reads what is asked of leases.
     *
     * @param many whether the body names them
     * @throws ProblemException when the bytes are no such body
     */
    public static Ask ask(Action action, boolean many, byte[] bytes) {
        Ask ask = JsonBody.read(bytes, json -> read(json, action, many));
        if (many && ask.leases.isEmpty()) {
            throw missing("leases");
        }
        checkComplete(action, ask);
        return ask;
    }

    /**
     * Checks what is asked, also where there was no body.
     *
     * @throws ProblemException when something is not said that must be
     */
    public static void checkComplete(Action action, Ask ask) {
        if (action == Action.EXTEND && ask.ttl == null) {
            throw missing("ttl");
        }
    }

    private static Ask read(JsonParser json, Action action, boolean many) throws IOException {
        Ask ask = Ask.NOTHING;
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            json.nextToken();
            boolean isList = many && name.equals("leases");
            if (!isList && !takes(action, name)) {
                throw FieldValues.unknownField(name);
            }
            ask = switch (name) {
                case "leases" -> new Ask(leases(json), ask.delay, ask.reason, ask.ttl);
                case "delay" ->
                    new Ask(ask.leases, duration(json, name, Duration.ZERO, LONGEST_DELAY), ask.reason, ask.ttl);
                case "reason" -> new Ask(ask.leases, ask.delay, FieldValues.text(json, name), ask.ttl);
                default -> new Ask(ask.leases, ask.delay, ask.reason, ttl(json));
            };
        }
        return ask;
    }

    private static boolean takes(Action action, String field) {
        return switch (action) {
            case ACK -> false;
            case NACK -> field.equals("delay") || field.equals("reason");
            case EXTEND -> field.equals("ttl");
            case BURY -> field.equals("reason");
        };
    }

    private static List<String> leases(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw FieldValues.wrongType(json, "leases", "an array");
        }
        Set<String> ids = new LinkedHashSet<>();
        int named = 0;
        while (json.nextToken() != JsonToken.END_ARRAY) {
            ids.add(FieldValues.text(json, "leases[" + named + "]"));
            named++;
            if (named > MOST_LEASES) {
                throw count("more than " + MOST_LEASES);
            }
        }
        if (named == 0) {
            throw count("no");
        }
        if (ids.size() < named) {
            throw FieldValues.problem(
                    ProblemCode.OUT_OF_RANGE, "leases has an id twice, must have each at most once", "leases");
        }
        return new ArrayList<>(ids);
    }

    private static ProblemException count(String found) {
        return FieldValues.problem(
                ProblemCode.OUT_OF_RANGE, "leases has " + found + " elements, must have 1 to " + MOST_LEASES, "leases");
    }

    private static Duration ttl(JsonParser json) throws IOException {
        return duration(json, "ttl", LeaseRequest.SHORTEST_TTL, LeaseRequest.LONGEST_TTL);
    }

    private static Duration duration(JsonParser json, String name, Duration least, Duration most) throws IOException {
        Duration value = FieldValues.checked(json, name, ProblemCode.INVALID_DURATION, DurationText::parse);
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw FieldValues.problem(
                    ProblemCode.OUT_OF_RANGE, name + " is " + value + ", must be " + least + " to " + most, name);
        }
        return value;
    }

    private static ProblemException missing(String field) {
        return FieldValues.problem(ProblemCode.FIELD_MISSING, field + " is not there, must be", field);
    }
}
