package io.tickwheel.planted;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plants bugs into the product, one at a time, and has the tests find them that are named for it. The short form shows only that each
 * bug still has its place; {@code -Dtickwheel.planted=all} runs the tests, and another value plants the bugs whose names contain it.
 */
final class PlantedBugsTest {

    private static final Path BUGS = Path.of("src", "test", "resources", "bugs");
    private static final String WHICH = System.getProperty("tickwheel.planted", "");
    private static final int LEAST = 40;
    private static final int LEAST_FOUND_PERCENT = 95;
    private static final int AT_ONCE = 2;

    /** What a bug prevents is not waited for very long. */
    private static final int SHORT_PATIENCE_SECONDS = 5;

    private static final int PATIENCE_SECONDS = 60;

    @TempDir
    private Path temporary;

    /** That it compiles shows when it is planted. */
    @Test
    void eachBugHasItsPlaceAndItsTests() throws IOException {
        List<PlantedBug> bugs = bugs();
        assertThat(bugs).hasSizeGreaterThanOrEqualTo(LEAST);
        for (PlantedBug bug : bugs) {
            String source = Tree.source(bug.file());
            assertThat(bug.plantInto(source)).as(bug.name()).isNotEqualTo(source);
            assertThat(bug.tests()).as(bug.name()).isNotEmpty().allMatch(Tree::hasTest);
        }
    }

    @Test
    void testsFindThem() throws Exception {
        List<PlantedBug> bugs = bugs().stream()
                .filter(bug ->
                        WHICH.equals("all") || (!WHICH.isEmpty() && bug.name().contains(WHICH)))
                .toList();
        assertThat(bugs.isEmpty()).as("no bug has a name with %s", WHICH).isEqualTo(WHICH.isEmpty());
        Map<String, TestProcess.End> ends = run(bugs);
        TreeSet<String> tests = new TreeSet<>();
        for (Map.Entry<String, TestProcess.End> each : ends.entrySet()) {
            if (each.getValue() != TestProcess.End.PASSED) {
                tests.add(TestProcess.lastTest(work(each.getKey())));
            }
        }
        assertThat(runUnchanged(List.copyOf(tests)).values())
                .as("the tests that failed, without a bug")
                .allMatch(TestProcess.End.PASSED::equals);
        List<String> survivors = ends.entrySet().stream()
                .filter(each -> each.getValue() == TestProcess.End.PASSED)
                .map(Map.Entry::getKey)
                .toList();
        System.out.println("planted bugs: found " + (ends.size() - survivors.size()) + " of " + ends.size()
                + ", survivors: " + survivors);
        assertThat((ends.size() - survivors.size()) * 100)
                .as("survivors: %s", survivors)
                .isGreaterThanOrEqualTo(ends.size() * LEAST_FOUND_PERCENT);
    }

    private static List<PlantedBug> bugs() throws IOException {
        try (Stream<Path> files = Files.list(BUGS)) {
            List<PlantedBug> bugs = new ArrayList<>();
            for (Path file : files.sorted().toList()) {
                bugs.add(PlantedBug.read(file));
            }
            return bugs;
        }
    }

    private Path work(String bug) {
        return temporary.resolve(bug).resolve("work");
    }

    /** Every second test in one process, the others beside it in another one. */
    private Map<String, TestProcess.End> runUnchanged(List<String> tests)
            throws InterruptedException, ExecutionException {
        Map<String, Callable<TestProcess.End>> parts = new TreeMap<>();
        for (int part = 0; part < AT_ONCE; part++) {
            int first = part;
            List<String> some = IntStream.range(0, tests.size())
                    .filter(each -> each % AT_ONCE == first)
                    .mapToObj(tests::get)
                    .toList();
            if (!some.isEmpty()) {
                String name = "unchanged-" + part;
                parts.put(
                        name,
                        () -> timed(
                                name,
                                () -> TestProcess.run(List.of(), some, PATIENCE_SECONDS, temporary.resolve(name))));
            }
        }
        return runAll(parts);
    }

    private Map<String, TestProcess.End> run(List<PlantedBug> bugs) throws InterruptedException, ExecutionException {
        Map<String, Callable<TestProcess.End>> parts = new TreeMap<>();
        for (PlantedBug bug : bugs) {
            parts.put(bug.name(), () -> {
                Path folder = temporary.resolve(bug.name());
                Path planted = Tree.plant(bug, folder.resolve("planted"));
                return timed(
                        bug.name(),
                        () -> TestProcess.run(List.of(planted), bug.tests(), SHORT_PATIENCE_SECONDS, work(bug.name())));
            });
        }
        return runAll(parts);
    }

    /** Says how it ended, and how long it took. */
    private static TestProcess.End timed(String name, Callable<TestProcess.End> part) throws Exception {
        long start = System.nanoTime();
        TestProcess.End end = part.call();
        System.out.println(name + ": " + end + ", " + (System.nanoTime() - start) / 1_000_000 + " ms");
        return end;
    }

    private static Map<String, TestProcess.End> runAll(Map<String, Callable<TestProcess.End>> parts)
            throws InterruptedException, ExecutionException {
        ExecutorService runners = Executors.newFixedThreadPool(AT_ONCE);
        try {
            Map<String, Future<TestProcess.End>> running = new TreeMap<>();
            parts.forEach((name, part) -> running.put(name, runners.submit(part)));
            Map<String, TestProcess.End> ends = new TreeMap<>();
            for (Map.Entry<String, Future<TestProcess.End>> each : running.entrySet()) {
                ends.put(each.getKey(), each.getValue().get());
            }
            return ends;
        } finally {
            runners.shutdownNow();
        }
    }
}
