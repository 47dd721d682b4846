package io.tickwheel.benchmarks;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The options of a program as {@code --name value}, or {@code --name} alone for a flag. What nobody took is refused. */
public final class Options {

    private static final String FLAG = "";

    private final Map<String, String> values = new LinkedHashMap<>();

    public Options(List<String> arguments) {
        int i = 0;
        while (i < arguments.size()) {
            String name = arguments.get(i++);
            if (!name.startsWith("--")) {
                throw new IllegalArgumentException("option is " + name + ", must start with --");
            }
            boolean alone = i == arguments.size() || arguments.get(i).startsWith("--");
            values.put(name.substring(2), alone ? FLAG : arguments.get(i++));
        }
    }

    public String text(String name, String otherwise) {
        String value = values.remove(name);
        return value == null ? otherwise : required(name, value);
    }

    public int number(String name, int otherwise) {
        String value = values.remove(name);
        return value == null
                ? otherwise
                : Integer.parseInt(required(name, value).replace("_", ""));
    }

    public boolean flag(String name) {
        String value = values.remove(name);
        if (value != null && !value.equals(FLAG)) {
            throw new IllegalArgumentException("--" + name + " is " + value + ", must stand alone");
        }
        return value != null;
    }

    public List<String> list(String name, String otherwise) {
        return Arrays.asList(text(name, otherwise).split(",", -1));
    }

    public List<Integer> numbers(String name, String otherwise) {
        return list(name, otherwise).stream().map(Integer::valueOf).toList();
    }

    public void refuseUnused() {
        if (!values.isEmpty()) {
            throw new IllegalArgumentException("unknown options " + values.keySet());
        }
    }

    private static String required(String name, String value) {
        if (value.equals(FLAG)) {
            throw new IllegalArgumentException("--" + name + " has no value");
        }
        return value;
    }
}
