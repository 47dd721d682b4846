package io.tickwheel.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A page of the documentation.
 *
 * @param name its path from the root of the tree
 * @param blocks of code, in their order
 * @param headings the levels of its headings, in their order
 * @param tables the rows and columns of its tables, in their order
 */
record Page(String name, List<Block> blocks, List<Integer> headings, List<Size> tables) {

    private static final String FENCE = "```";

    /** How many rows a table has, with its head, and how many columns. */
    record Size(int rows, int columns) {}

    /** Returns the root of the tree. */
    static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(folder.resolve(".mvn"))) {
            folder = folder.getParent();
            if (folder == null) {
                throw new IllegalStateException("no folder above the working directory has a .mvn folder");
            }
        }
        return folder;
    }

    /** Reads all pages: those at the root, and all below docs. */
    static List<Page> all() throws IOException {
        try (Stream<Path> top = Files.list(root());
                Stream<Path> docs = Files.walk(root().resolve("docs"))) {
            return Stream.concat(top, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .map(Page::read)
                    .toList();
        }
    }

    static List<Block> allBlocks() throws IOException {
        return all().stream().flatMap(page -> page.blocks.stream()).toList();
    }

    static Page read(Path file) {
        try {
            return of(root().relativize(file.toAbsolutePath()).toString().replace('\\', '/'), Files.readAllLines(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Page of(String name, List<String> lines) {
        List<Block> blocks = new ArrayList<>();
        List<Integer> headings = new ArrayList<>();
        List<Size> tables = new ArrayList<>();
        int rows = 0;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.stripLeading().startsWith(FENCE)) {
                int indent = line.indexOf(FENCE);
                List<String> code = new ArrayList<>();
                int first = i;
                for (i++; i < lines.size() && !lines.get(i).strip().equals(FENCE); i++) {
                    code.add(
                            lines.get(i).substring(Math.min(indent, lines.get(i).length())));
                }
                if (i == lines.size()) {
                    throw new IllegalStateException(name + ":" + (first + 1) + " has a block without an end");
                }
                String info = line.strip().substring(FENCE.length()).strip();
                blocks.add(new Block(
                        name,
                        first + 1,
                        info.isEmpty() ? List.of() : List.of(info.split(" +", -1)),
                        String.join("\n", code) + "\n"));
            } else if (line.matches("#{1,6} .*")) {
                headings.add(line.indexOf(' '));
            }
            boolean row = line.startsWith("|");
            if (row && rows > 0 && columns(line) != columns(lines.get(i - 1))) {
                throw new IllegalStateException(
                        name + ":" + (i + 1) + " has another number of cells than the row before");
            }
            rows = row ? rows + 1 : 0;
            if (row && (i + 1 == lines.size() || !lines.get(i + 1).startsWith("|"))) {
                tables.add(new Size(rows - 1, columns(line)));
            }
        }
        return new Page(name, blocks, headings, tables);
    }

    private static int columns(String row) {
        return row.replace("\\|", "").split("\\|", -1).length - 2;
    }
}
