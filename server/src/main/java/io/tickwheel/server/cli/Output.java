package io.tickwheel.server.cli;

import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.JsonOut;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prints what a server answers: its JSON, one object in one line, or a table for people. */
final class Output {

    private static final String GAP = "  ";

    private final PrintWriter out;
    private final boolean isTable;

    Output(PrintWriter out, boolean isTable) {
        this.out = out;
        this.isTable = isTable;
    }

    /** Prints an answer; in a table, each of its fields in a line, with those of inner objects as {@code outer.inner}. */
    void print(RemoteServer.Answer answer) {
        if (isTable) {
            List<List<String>> rows = new ArrayList<>();
            flatten("", answer.fields(), rows);
            table(rows);
        } else {
            json(answer.json());
        }
    }

    /** Prints an answer, or where people read it, a text that says the same. */
    void print(RemoteServer.Answer answer, String text) {
        if (isTable) {
            out.println(text);
            out.flush();
        } else {
            json(answer.json());
        }
    }

    /**
     * Prints the elements of a list that is a field of an answer.
     *
     * @param columns the fields that a table shows
     */
    void print(RemoteServer.Answer answer, String list, List<String> columns) {
        if (!isTable) {
            json(answer.json());
        } else if (answer.fields().get(list) instanceof List<?> elements) {
            table(elements, columns);
        }
    }

    /**
     * Prints elements of several answers as the list of one.
     *
     * @param next where the answers go on; null when they do not
     */
    void print(String list, List<?> elements, List<String> columns, @Nullable String next) {
        if (isTable) {
            table(elements, columns);
            if (next != null) {
                out.println("there may be more: --cursor " + Excerpt.line(next));
                out.flush();
            }
            return;
        }
        JsonOut json = new JsonOut(1_024).open('{');
        json.field(list).value(elements);
        if (next != null) {
            json.field("next").string(next);
        }
        json(json.close('}').toBuffer().toString(StandardCharsets.UTF_8));
    }

    /** In ASCII, which JSON can always be: the encoding of the standard output may be any. */
    private void json(String text) {
        StringBuilder ascii = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x7F) {
                ascii.append(c);
            } else {
                ascii.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            }
        }
        out.println(ascii);
        out.flush();
    }

    private void table(List<?> elements, List<String> columns) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(columns.stream().map(name -> name.toUpperCase(Locale.ROOT)).toList());
        for (Object element : elements) {
            Map<?, ?> fields = element instanceof Map<?, ?> map ? map : Map.of();
            rows.add(columns.stream()
                    .map(name -> fields.containsKey(name) ? cell(fields.get(name)) : "")
                    .toList());
        }
        table(rows);
    }

    private void table(List<List<String>> rows) {
        List<Integer> widths = new ArrayList<>();
        for (List<String> row : rows) {
            for (int i = 0; i < row.size(); i++) {
                if (i == widths.size()) {
                    widths.add(0);
                }
                widths.set(i, Math.max(widths.get(i), row.get(i).length()));
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.size(); i++) {
                String cell = row.get(i);
                line.append(cell)
                        .append(" ".repeat(widths.get(i) - cell.length()))
                        .append(GAP);
            }
            out.println(line.toString().stripTrailing());
        }
        out.flush();
    }

    private static void flatten(String prefix, Map<?, ?> fields, List<List<String>> rows) {
        fields.forEach((name, value) -> {
            String full = prefix + Excerpt.line(String.valueOf(name));
            if (value instanceof Map<?, ?> inner) {
                flatten(full + ".", inner, rows);
            } else {
                rows.add(List.of(full, cell(value)));
            }
        });
    }

    private static String cell(@Nullable Object value) {
        if (value instanceof List<?> || value instanceof Map<?, ?>) {
            return Excerpt.line(new JsonOut(256).value(value).toBuffer().toString(StandardCharsets.UTF_8));
        }
        return Excerpt.line(String.valueOf(value));
    }
}
