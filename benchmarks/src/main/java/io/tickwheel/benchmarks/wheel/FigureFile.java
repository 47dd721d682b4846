package io.tickwheel.benchmarks.wheel;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Figures as comma-separated values after RFC 4180, one to a line below a head. */
final class FigureFile {

    private static final String HEAD = "program,jdk,situation,contender,measure,round,value";
    private static final int FIELDS = 7;
    private static final char QUOTE = '"';

    private FigureFile() {}

    static void write(Path file, List<Figure> figures) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        try (BufferedWriter lines = Files.newBufferedWriter(file)) {
            lines.write(HEAD + "\n");
            for (Figure figure : figures) {
                lines.write(line(figure) + "\n");
            }
        }
    }

    static List<Figure> read(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        if (lines.isEmpty() || !lines.get(0).equals(HEAD)) {
            throw new IOException(file + " does not begin with " + HEAD);
        }
        return lines.stream().skip(1).map(FigureFile::figure).toList();
    }

    static String line(Figure figure) {
        return String.join(
                ",",
                quoted(figure.program()),
                Integer.toString(figure.jdk()),
                quoted(figure.situation()),
                quoted(figure.contender()),
                quoted(figure.measure()),
                Integer.toString(figure.round()),
                Double.toString(figure.value()));
    }

    static Figure figure(String line) {
        List<String> fields = fields(line);
        if (fields.size() != FIELDS) {
            throw new IllegalArgumentException(fields.size() + " fields, must be " + FIELDS + ": " + line);
        }
        return new Figure(
                fields.get(0),
                Integer.parseInt(fields.get(1)),
                fields.get(2),
                fields.get(3),
                fields.get(4),
                Integer.parseInt(fields.get(5)),
                Double.parseDouble(fields.get(6)));
    }

    private static String quoted(String field) {
        if (field.indexOf(',') < 0 && field.indexOf(QUOTE) < 0) {
            return field;
        }
        return QUOTE + field.replace("\"", "\"\"") + QUOTE;
    }

    private static List<String> fields(String line) {
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == QUOTE && quoted && i + 1 < line.length() && line.charAt(i + 1) == QUOTE) {
                field.append(QUOTE);
                i++;
            } else if (c == QUOTE) {
                quoted = !quoted;
            } else if (c == ',' && !quoted) {
                fields.add(field.toString());
                field.setLength(0);
            } else {
                field.append(c);
            }
        }
        fields.add(field.toString());
        return fields;
    }
}
