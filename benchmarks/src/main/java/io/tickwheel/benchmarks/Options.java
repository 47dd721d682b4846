package io.tickwheel.benchmarks;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The options of a program as {@code --name value}. What nobody took is refused. */
final class Options {

    private final Map<String, String> values = new LinkedHashMap<>();

    Options(List<String> arguments) {
        if (arguments.size() % 2 != 0) {
            throw new IllegalArgumentException("options come as --name value: " + arguments);
        }
        for (int i = 0; i < arguments.size(); i += 2) {
            String name = arguments.get(i);
            if (!name.startsWith("--")) {
                throw new IllegalArgumentException("option is " + name + ", must start with --");
            }
            values.put(name.substring(2), arguments.get(i + 1));
        }
    }

    String text(String name, String otherwise) {
        String value = values.remove(name);
        return value == null ? otherwise : value;
    }

    int number(String name, int otherwise) {
        String value = values.remove(name);
        return value == null ? otherwise : Integer.parseInt(value.replace("_", ""));
    }

    List<String> list(String name, String otherwise) {
        return Arrays.asList(text(name, otherwise).split(",", -1));
    }

    List<Integer> numbers(String name, String otherwise) {
        return list(name, otherwise).stream().map(Integer::valueOf).toList();
    }

    void refuseUnused() {
        if (!values.isEmpty()) {
            throw new IllegalArgumentException("unknown options " + values.keySet());
        }
    }
}
