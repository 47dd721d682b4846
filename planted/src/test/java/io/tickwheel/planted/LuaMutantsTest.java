package io.tickwheel.planted;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.redis.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Changes the scripts of the store on Redis in all small ways, one at a time, and has the tests of the scripts find it. The short form
 * shows only that each script can be changed; {@code -Dtickwheel.lua.mutants=all} runs the tests on all mutants, a number on so many,
 * the name of a script on those of that one, and both, as in {@code own:30}, on so many of that one.
 */
final class LuaMutantsTest {

    private static final Path SCRIPTS = Path.of("io", "tickwheel", "store", "redis", "scripts");
    private static final Path SOURCES =
            Tree.ROOT.resolve("store-redis/src/main/resources").resolve(SCRIPTS);
    private static final Path EXCUSED = Path.of("src", "test", "resources", "lua-excused.txt");
    private static final String WHICH = System.getProperty("tickwheel.lua.mutants", "");
    private static final int LEAST_FOUND_PERCENT = 90;
    private static final int LEAST_LOADED_PERCENT = 98;
    private static final int SEED = 1;
    private static final Duration LONGEST = Duration.ofMinutes(5);

    private static final String STORE = "io.tickwheel.store.redis.";
    private static final List<String> OF_NODES = List.of(
            STORE + "partition.GrantsTest",
            STORE + "partition.RefusalsTest",
            STORE + "namespace.MembershipTest",
            STORE + "NodesTest",
            STORE + "NodesCommandsTest");
    private static final List<String> OF_COMMANDS = List.of(
            STORE + "partition.CommandsBytesTest",
            STORE + "partition.CommandsScriptTest",
            STORE + "partition.ClaimScriptTest",
            STORE + "partition.ChangeScriptTest",
            STORE + "partition.PastAttemptScriptTest",
            STORE + "partition.CompleteScriptTest",
            STORE + "partition.LastAttemptScriptTest",
            STORE + "partition.SpawnScriptTest",
            STORE + "RepeatedCommandTest",
            STORE + "SingleRedisContractTest",
            STORE + "RedisSimulationTest");
    private static final List<String> OF_READ = List.of(STORE + "query.ReadScriptTest", STORE + "query.QueriesTest");
    private static final List<String> OF_COUNT = List.of(STORE + "query.CountScriptTest", STORE + "query.QueriesTest");
    private static final List<String> OF_CHECKS =
            List.of(STORE + "query.ReadScriptTest", STORE + "RedisVerificationTest");
    /** What is run for each script, the quickest first. */
    private static final Map<String, List<String>> TESTS = Map.ofEntries(
            Map.entry("own", OF_NODES),
            Map.entry("release", OF_NODES),
            Map.entry("beat", OF_NODES),
            Map.entry("accept", OF_NODES),
            Map.entry("config", OF_NODES),
            Map.entry("rights", List.of(STORE + "RightsTest")),
            Map.entry(
                    "tend",
                    List.of(
                            STORE + "partition.TendScriptTest",
                            STORE + "partition.TendOwnerScriptTest",
                            STORE + "partition.GrantsTest",
                            STORE + "partition.RefusalsTest")),
            Map.entry("limit", List.of(STORE + "partition.LimitScriptTest", STORE + "partition.LostTokensTest")),
            Map.entry("commands", OF_COMMANDS),
            Map.entry("read", OF_READ),
            Map.entry("count", OF_COUNT),
            Map.entry("record", OF_CHECKS),
            Map.entry("scan", OF_CHECKS),
            Map.entry("slices", OF_CHECKS),
            Map.entry("places", OF_CHECKS));

    private static RedisServer server;

    @TempDir
    private Path temporary;

    @BeforeAll
    static void start() {
        server = RedisServer.builder().start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static List<LuaMutant> mutants() throws IOException {
        List<LuaMutant> mutants = new ArrayList<>();
        for (String script : new TreeSet<>(TESTS.keySet())) {
            mutants.addAll(LuaMutator.mutants(script, source(script)));
        }
        return mutants;
    }

    private static String source(String script) throws IOException {
        return Files.readString(SOURCES.resolve(script + ".lua"));
    }

    private static boolean loads(LuaMutant mutant) {
        try {
            server.command("SCRIPT", "LOAD", mutant.text());
            return true;
        } catch (RuntimeException refused) {
            return false;
        }
    }

    @Test
    void eachScriptHasMutantsThatLoad() throws IOException {
        try (Stream<Path> files = Files.list(SOURCES)) {
            assertThat(files.map(file -> file.getFileName().toString().replace(".lua", "")))
                    .containsExactlyInAnyOrderElementsOf(TESTS.keySet());
        }
        List<LuaMutant> mutants = mutants();
        assertThat(mutants).extracting(LuaMutant::script).containsAll(TESTS.keySet());
        for (LuaMutant mutant : mutants) {
            assertThat(mutant.text()).as(mutant.toString()).isNotEqualTo(source(mutant.script()));
        }
        assertThat(mutants.stream().filter(LuaMutantsTest::loads).count() * 100)
                .isGreaterThanOrEqualTo(mutants.size() * (long) LEAST_LOADED_PERCENT);
    }

    // ---- excuses

    /** Mutants that do the same, or take another time for it: script, text of the line, and change, by which they are known. */
    private static Set<String> excused() throws IOException {
        Set<String> excused = new TreeSet<>();
        for (String line : Files.readAllLines(EXCUSED)) {
            if (line.startsWith("#")) {
                continue;
            }
            int reason = line.lastIndexOf(" | ");
            assertThat(reason).as("where the reason begins in: %s", line).isPositive();
            assertThat(excused.add(line.substring(0, reason))).as(line).isTrue();
        }
        return excused;
    }

    private static String excuse(LuaMutant mutant) {
        return mutant.script() + " | " + mutant.lineText() + " | " + mutant.change();
    }

    @Test
    void eachExcuseIsOfAMutant() throws IOException {
        Set<String> unknown = excused();
        mutants().forEach(mutant -> unknown.remove(excuse(mutant)));
        assertThat(unknown).isEmpty();
    }

    // ---- runs

    private static List<LuaMutant> chosen() throws IOException {
        Set<String> excused = excused();
        if (WHICH.isEmpty()) {
            return List.of();
        }
        List<LuaMutant> mutants = new ArrayList<>(mutants());
        mutants.removeIf(mutant -> excused.contains(excuse(mutant)) || !loads(mutant));
        int most = mutants.size();
        for (String word : WHICH.split(":", -1)) {
            if (word.chars().allMatch(Character::isDigit)) {
                most = Integer.parseInt(word);
            } else if (!word.equals("all")) {
                assertThat(TESTS).containsKey(word);
                mutants.removeIf(mutant -> !mutant.script().equals(word));
            }
        }
        if (most < mutants.size()) {
            Collections.shuffle(mutants, new Random(SEED));
        }
        return mutants.subList(0, Math.min(mutants.size(), most));
    }

    @Test
    void testsFindThem() throws IOException {
        List<LuaMutant> mutants = chosen();
        assertThat(mutants.isEmpty()).as("there is no mutant of %s", WHICH).isEqualTo(WHICH.isEmpty());
        List<LuaMutant> survivors = new ArrayList<>();
        try (MutantProcess process = new MutantProcess(temporary.resolve("work"))) {
            Map<List<String>, Duration> patience = new HashMap<>();
            for (LuaMutant mutant : mutants) {
                List<String> tests = TESTS.get(mutant.script());
                if (!patience.containsKey(tests)) {
                    patience.put(tests, patience(process, tests));
                }
                if (process.run(plant(mutant), tests, patience.get(tests)) == TestProcess.End.PASSED) {
                    survivors.add(mutant);
                    System.out.println(mutant);
                }
            }
        }
        System.out.println("lua mutants: found " + (mutants.size() - survivors.size()) + " of " + mutants.size());
        assertThat((mutants.size() - survivors.size()) * 100)
                .as("survivors: %s", survivors)
                .isGreaterThanOrEqualTo(mutants.size() * LEAST_FOUND_PERCENT);
    }

    /** How long tests may take on a mutant: a machine that is busy must not be taken for tests that hang. */
    private Duration patience(MutantProcess process, List<String> tests) throws IOException {
        long startNanos = System.nanoTime();
        assertThat(process.run(temporary.resolve("none"), tests, LONGEST))
                .as("%s without a mutant", tests)
                .isEqualTo(TestProcess.End.PASSED);
        return Duration.ofNanos(2 * (System.nanoTime() - startNanos)).plusSeconds(20);
    }

    /** Returns a folder of resources in which the mutant stands for its script. */
    private Path plant(LuaMutant mutant) throws IOException {
        Path folder = Files.createTempDirectory(temporary, mutant.script());
        Path scripts = Files.createDirectories(folder.resolve(SCRIPTS));
        Files.writeString(scripts.resolve(mutant.script() + ".lua"), mutant.text());
        return folder;
    }
}
