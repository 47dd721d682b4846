package io.tickwheel.benchmarks.proof;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Fields of answers, which have no escapes where these programs look. */
final class Json {

    private Json() {}

    /** The values of a text field, wherever it stands, in order. */
    static List<String> texts(String json, String field) {
        Matcher found = Pattern.compile("\"" + field + "\":\"([^\"]*)\"").matcher(json);
        List<String> values = new ArrayList<>();
        while (found.find()) {
            values.add(found.group(1));
        }
        return values;
    }

    /** The first of them. */
    static String text(String json, String field) {
        List<String> values = texts(json, field);
        if (values.isEmpty()) {
            throw new IllegalArgumentException("no field " + field + " in " + json);
        }
        return values.get(0);
    }

    /** The values of a field of whole numbers, in order. */
    static List<Long> numbers(String json, String field) {
        Matcher found = Pattern.compile("\"" + field + "\":(\\d+)").matcher(json);
        List<Long> values = new ArrayList<>();
        while (found.find()) {
            values.add(Long.parseLong(found.group(1)));
        }
        return values;
    }
}
