package io.tickwheel.server.wire;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.TargetFields;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the {@code target} of a body as neutral values, and has the kinds read these; what they refuse becomes a problem. Which
 * fields there are, say the kinds: {@code {"url": ..., "method": ...}} or {@code {"log": {}}}, as a rule.
 */
final class TargetReader {

    /** These names are taken for targets to come: nobody who uses one shall think it misspelt. */
    private static final Set<String> RESERVED = Set.of("kafka", "rocketmq", "rabbitmq", "redisStream");

    /** Far more than an address needs, and little enough for the memory that a body may take. */
    private static final int MOST_VALUES = 1_000;

    private int values;

    private TargetReader() {}

    static Destination read(JsonParser json, TargetKinds kinds) throws IOException {
        FieldValues.object(json, "target");
        TargetReader reader = new TargetReader();
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            String field = "target." + name;
            if (!kinds.hasField(name)) {
                throw RESERVED.contains(name)
                        ? FieldValues.problem(
                                ProblemCode.TARGET_NOT_AVAILABLE,
                                field + " is not available here, must be " + kinds.choice("or"),
                                field)
                        : FieldValues.unknownField(field);
            }
            json.nextToken();
            values.put(name, reader.value(json, field));
        }
        try {
            return kinds.read(TargetFields.of(values));
        } catch (InvalidTargetException e) {
            throw refusal(e);
        }
    }

    /** Refuses a timer that has a payload and a target that takes none. */
    static void checkPayload(Destination destination, TargetKinds kinds) {
        try {
            kinds.checkPayload(destination);
        } catch (InvalidTargetException e) {
            throw refusal(e);
        }
    }

    /** The value at the parser, down to its last field; the depth is limited by the parser. */
    private @Nullable Object value(JsonParser json, String field) throws IOException {
        if (++values > MOST_VALUES) {
            throw FieldValues.problem(
                    ProblemCode.JSON_LIMIT, "target has more than " + MOST_VALUES + " values", "target");
        }
        return switch (json.currentToken()) {
            case VALUE_STRING -> FieldValues.text(json, field);
            case VALUE_NUMBER_INT -> integer(json);
            case VALUE_NUMBER_FLOAT -> json.getDecimalValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case START_OBJECT -> {
                Map<String, @Nullable Object> fields = new LinkedHashMap<>();
                for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                    FieldValues.checkUnicode(name, field);
                    json.nextToken();
                    fields.put(name, value(json, field + "." + Excerpt.of(name)));
                }
                yield fields;
            }
            case START_ARRAY -> {
                List<@Nullable Object> elements = new ArrayList<>();
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    elements.add(value(json, field));
                }
                yield elements;
            }
            default -> null;
        };
    }

    private static Object integer(JsonParser json) throws IOException {
        return json.getNumberType() == JsonParser.NumberType.BIG_INTEGER ? json.getDecimalValue() : json.getLongValue();
    }

    private static ProblemException refusal(InvalidTargetException e) {
        ProblemCode code = ProblemCode.ofTarget(e.code());
        String rule = String.valueOf(e.getMessage());
        if (e.field() == null) {
            return FieldValues.problem(code, "target " + rule, "target");
        }
        String field = "target." + Excerpt.of(e.field());
        if (code == ProblemCode.UNKNOWN_FIELD) {
            return FieldValues.unknownField(field);
        }
        if (!e.hasValue()) {
            return FieldValues.problem(code, field + " " + rule, field);
        }
        String shown = code == ProblemCode.WRONG_TYPE ? type(e.value()) : shown(e.value());
        return FieldValues.problem(code, field + " is " + shown + ", " + rule, field);
    }

    private static String shown(@Nullable Object value) {
        return value instanceof String text ? Excerpt.quoted(text) : Excerpt.of(String.valueOf(value));
    }

    private static String type(@Nullable Object value) {
        if (value instanceof Map) {
            return "an object";
        }
        if (value instanceof List) {
            return "an array";
        }
        if (value instanceof String) {
            return "a string";
        }
        return value instanceof Number ? "a number" : String.valueOf(value);
    }
}
