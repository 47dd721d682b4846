package io.tickwheel.planted;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What the tests find of the small changes that the profile {@code mutation} makes to the classes of the product. It looks at the reports
 * that the profile has left; {@code -Dtickwheel.java.mutants=engine-tests+engine,store-file} says of which modules, and whose tests
 * together are to find the mutants of a module. Those that nobody can see are in a list, each with its reason.
 */
final class JavaMutantsTest {

    private static final Path EXCUSED = Path.of("src", "test", "resources", "java-excused.txt");
    private static final String WHICH = System.getProperty("tickwheel.java.mutants", "");
    private static final int LEAST_FOUND_PERCENT = 85;
    private static final int PARTS = 4;

    /**
     * Changes of a line.
     *
     * @param type the class with its package, as a source file has it
     * @param line the text of the line
     * @param mutator what was done to it, or {@code any}
     */
    private record Excuse(String type, String line, String mutator) {

        static Excuse parse(String text) {
            String[] parts = text.split(" \\| ", -1);
            assertThat(parts.length)
                    .as("class | line | mutator | reason: %s", text)
                    .isEqualTo(PARTS);
            assertThat(parts[3]).as("reason: %s", text).isNotBlank();
            return new Excuse(parts[0], parts[1], parts[2]);
        }

        boolean isFor(Mutant mutant) {
            return type.equals(mutant.type())
                    && line.equals(mutant.text())
                    && (mutator.equals("any") || mutator.equals(mutant.mutator()));
        }
    }

    /** One change, and how it ended. */
    private record Mutant(String type, String mutator, String method, int line, String status, String text) {

        /** A line is: file, class, mutator, method, number of the line, status, test that found it. */
        static Mutant parse(String row) throws IOException {
            String[] parts = row.split(",", -1);
            String type = parts[1].replaceAll("\\$.*", "");
            int line = Integer.parseInt(parts[4]);
            return new Mutant(
                    type,
                    parts[2].replaceAll(".*\\.", "").replace("Mutator", ""),
                    parts[3],
                    line,
                    parts[5],
                    source(type).get(line - 1).strip());
        }

        /** The same change may be made twice in a line. */
        String name() {
            return type + ":" + line + " " + mutator + " " + method + " ";
        }

        static Mutant better(Mutant one, Mutant other) {
            return !one.isTried() || (other.isTried() && other.isFound()) ? other : one;
        }

        /** Not one that no test reaches, and not one whose run broke, which says nothing of the tests. */
        boolean isTried() {
            return isFound() || status.equals("SURVIVED");
        }

        boolean isFound() {
            return status.equals("KILLED") || isFoundByTime();
        }

        /** It took so long, or so much memory, that its run was ended: on a busy machine it may be just slow. */
        boolean isFoundByTime() {
            return status.equals("TIMED_OUT") || status.equals("MEMORY_ERROR");
        }

        boolean isBroken() {
            return !isTried() && !status.equals("NO_COVERAGE");
        }
    }

    /** Those of which the tests of one module or another know; found when one of them has found it. */
    private static List<Mutant> mutants(String modules) throws IOException {
        Map<String, Mutant> mutants = new LinkedHashMap<>();
        for (String module : modules.split("\\+", -1)) {
            Map<String, Integer> times = new HashMap<>();
            for (String row :
                    Files.readAllLines(Tree.ROOT.resolve(module).resolve("target/pit-reports/mutations.csv"))) {
                Mutant mutant = Mutant.parse(row);
                String name = mutant.name();
                mutants.merge(name + times.merge(name, 1, Integer::sum), mutant, Mutant::better);
            }
        }
        return List.copyOf(mutants.values());
    }

    private static List<String> source(String type) throws IOException {
        String file = type.replace('.', '/') + ".java";
        try (Stream<Path> modules = Files.list(Tree.ROOT)) {
            Path source = modules.map(module -> module.resolve("src/main/java").resolve(file))
                    .filter(Files::exists)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("there is no source of " + type));
            return Files.readAllLines(source);
        }
    }

    private static List<Excuse> excuses() throws IOException {
        List<Excuse> excuses = new ArrayList<>();
        for (String line : Files.readAllLines(EXCUSED)) {
            if (!line.startsWith("#")) {
                excuses.add(Excuse.parse(line));
            }
        }
        return excuses;
    }

    @Test
    void eachExcuseIsOfALine() throws IOException {
        List<Excuse> excuses = excuses();
        Set<Excuse> different = new HashSet<>(excuses);
        assertThat(different).hasSameSizeAs(excuses);
        for (Excuse excuse : excuses) {
            assertThat(source(excuse.type))
                    .as(excuse.type)
                    .anyMatch(line -> line.strip().equals(excuse.line));
        }
    }

    @Test
    void testsFindThem() throws IOException {
        List<String> modules = WHICH.isEmpty() ? List.of() : List.of(WHICH.split(",", -1));
        for (String module : modules) {
            assertThat(percentFound(module)).as(module).isGreaterThanOrEqualTo(LEAST_FOUND_PERCENT);
        }
    }

    /** Of those that tests reach and that are not excused; one whose run broke counts for nothing. */
    private static int percentFound(String module) throws IOException {
        List<Excuse> excuses = excuses();
        int covered = 0;
        int excused = 0;
        int byTime = 0;
        int broken = 0;
        List<Mutant> survivors = new ArrayList<>();
        for (Mutant mutant : mutants(module)) {
            if (!mutant.isTried()) {
                broken += mutant.isBroken() ? 1 : 0;
                continue;
            }
            covered++;
            byTime += mutant.isFoundByTime() ? 1 : 0;
            if (!mutant.isFound()) {
                if (excuses.stream().anyMatch(excuse -> excuse.isFor(mutant))) {
                    excused++;
                } else {
                    survivors.add(mutant);
                }
            }
        }
        survivors.forEach(each -> System.out.println(each.type() + " | " + each.text() + " | " + each.mutator() + " | "
                + each.method() + ":" + each.line()));
        int found = covered - excused - survivors.size();
        System.out.println(module + ": found " + found + " of " + covered + " that tests reach, " + byTime
                + " of them by time or memory; excused " + excused + "; not counted " + broken + " whose run broke");
        return found * 100 / (covered - excused);
    }
}
