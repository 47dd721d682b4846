package io.tickwheel.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** Rows of text, printed as an aligned Markdown table. */
public final class Table {

    private final List<List<String>> rows = new ArrayList<>();

    public Table(List<String> head) {
        rows.add(head);
    }

    public void add(List<String> row) {
        rows.add(row);
    }

    @Override
    public String toString() {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder out = new StringBuilder();
        for (List<String> row : rows) {
            append(out, row, widths);
            if (row == rows.get(0)) {
                append(out, rule(widths), widths);
            }
        }
        return out.toString();
    }

    private static void append(StringBuilder out, List<String> row, int[] widths) {
        for (int i = 0; i < widths.length; i++) {
            String cell = row.get(i);
            out.append("| ").append(cell).append(" ".repeat(widths[i] - cell.length() + 1));
        }
        out.append("|\n");
    }

    private static List<String> rule(int[] widths) {
        List<String> cells = new ArrayList<>();
        for (int width : widths) {
            cells.add("-".repeat(width));
        }
        return cells;
    }
}
