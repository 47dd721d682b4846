package io.tickwheel.server.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads JSON as neutral values: strings, longs, {@code BigDecimal} for other numbers, booleans, lists, maps in their order, and null. */
final class JsonTree {

    /** An answer may have a payload of any length, as text. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private JsonTree() {}

    /** @throws IOException when the text is not exactly one JSON value */
    static @Nullable Object read(String text) throws IOException {
        try (JsonParser json = JSON.createParser(text)) {
            if (json.nextToken() == null) {
                throw new IOException("there is nothing");
            }
            Object value = value(json);
            if (json.nextToken() != null) {
                throw new IOException("it goes on after the value");
            }
            return value;
        }
    }

    /** @throws IOException when the text is not exactly one JSON object */
    static Map<?, ?> readObject(String text) throws IOException {
        if (read(text) instanceof Map<?, ?> fields) {
            return fields;
        }
        throw new IOException("it is no object");
    }

    private static @Nullable Object value(JsonParser json) throws IOException {
        return switch (json.currentToken()) {
            case VALUE_STRING -> json.getText();
            case VALUE_NUMBER_INT ->
                json.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                        ? json.getDecimalValue()
                        : json.getLongValue();
            case VALUE_NUMBER_FLOAT -> json.getDecimalValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case START_OBJECT -> {
                Map<String, @Nullable Object> fields = new LinkedHashMap<>();
                for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                    json.nextToken();
                    fields.put(name, value(json));
                }
                yield fields;
            }
            case START_ARRAY -> {
                List<@Nullable Object> elements = new ArrayList<>();
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    elements.add(value(json));
                }
                yield elements;
            }
            default -> null;
        };
    }
}
