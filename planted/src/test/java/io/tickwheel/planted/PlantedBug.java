package io.tickwheel.planted;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A bug to plant into the product: pieces of one source file, and what is to stand there instead. It is kept as a text:
 *
 * <pre>
 * What is broken, in a sentence.
 * file: engine/src/main/java/io/tickwheel/engine/delivery/Deliveries.java
 * tests: io.tickwheel.engine.tests.SchedulesTest io.tickwheel.engine.tests.EngineFaultTest#name
 * &lt;&lt;&lt;&lt;
 *             freeCredit(lane, due.contentBytes);
 * ====
 * &gt;&gt;&gt;&gt;
 * </pre>
 *
 * @param name the name of its file, without the ending
 * @param what what is broken
 * @param file the source file, seen from the root of the tree
 * @param tests the classes, or methods, of which one must fail
 * @param edits what is replaced; at least one
 */
record PlantedBug(String name, String what, Path file, List<String> tests, List<Edit> edits) {

    static final String SUFFIX = ".bug";

    private static final String BEGIN = "<<<<\n";
    private static final String INSTEAD = "====\n";
    private static final String END = ">>>>\n";

    /** A piece of the source, which must be there exactly once, and its replacement. */
    record Edit(String piece, String replacement) {}

    static PlantedBug read(Path path) throws IOException {
        String name = path.getFileName().toString().replace(SUFFIX, "");
        String text = Files.readString(path);
        int first = text.indexOf(BEGIN);
        require(first > 0, name, "it has no edit");
        String[] head = text.substring(0, first).split("\n", -1);
        require(
                head.length == 4 && head[3].isEmpty() && head[1].startsWith("file: ") && head[2].startsWith("tests: "),
                name,
                "it must begin with what is broken, file: and tests:");
        List<Edit> edits = new ArrayList<>();
        int at = first;
        while (at < text.length()) {
            require(text.startsWith(BEGIN, at), name, "an edit must begin with <<<<");
            int instead = text.indexOf(INSTEAD, at);
            int end = text.indexOf(END, at);
            require(instead > 0 && end > instead, name, "an edit must have ==== and >>>>");
            edits.add(new Edit(
                    text.substring(at + BEGIN.length(), instead), text.substring(instead + INSTEAD.length(), end)));
            at = end + END.length();
        }
        return new PlantedBug(
                name,
                head[0],
                Path.of(head[1].substring("file: ".length())),
                List.of(head[2].substring("tests: ".length()).split(" ", -1)),
                edits);
    }

    /** Returns the source with the bug. */
    String plantInto(String source) {
        String planted = source;
        for (Edit edit : edits) {
            int at = planted.indexOf(edit.piece);
            require(at >= 0, name, "its piece is not in " + file + " any more:\n" + edit.piece);
            require(
                    planted.indexOf(edit.piece, at + 1) < 0,
                    name,
                    "its piece is in " + file + " twice:\n" + edit.piece);
            planted = planted.replace(edit.piece, edit.replacement);
        }
        return planted;
    }

    boolean isJava() {
        return file.toString().endsWith(".java");
    }

    private static void require(boolean holds, String name, String otherwise) {
        if (!holds) {
            throw new IllegalStateException("planted bug " + name + ": " + otherwise);
        }
    }
}
