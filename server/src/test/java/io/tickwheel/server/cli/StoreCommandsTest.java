package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.targets.InstalledTargets;
import io.tickwheel.server.wire.ScheduleBody;
import io.tickwheel.server.wire.ScheduleBodyReader;
import io.tickwheel.server.wire.TargetKinds;
import io.tickwheel.store.Changed;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.file.FileTimerStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands on a data directory: what they print and how they end. */
public final class StoreCommandsTest {

    @TempDir
    private Path temp;

    public record Ended(int code, String output, String error) {}

    public static Ended run(Object... arguments) {
        return run(InstalledTargets.kinds(), arguments);
    }

    public static Ended run(TargetKinds kinds, Object... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream error = new ByteArrayOutputStream();
        PrintStream oldOut = System.out;
        PrintStream oldError = System.err;
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(error, true, StandardCharsets.UTF_8));
        try {
            String[] words = Stream.of(arguments).map(Object::toString).toArray(String[]::new);
            int code = TickwheelCommand.execute(words, kinds, () -> 7, (config, ready) -> {
                throw new AssertionError("no server is started");
            });
            return new Ended(code, out.toString(StandardCharsets.UTF_8), error.toString(StandardCharsets.UTF_8));
        } finally {
            System.setOut(oldOut);
            System.setErr(oldError);
        }
    }

    private Path store() {
        Path data = temp.resolve("data");
        try (Tickwheel timers = open(data)) {
            for (int i = 0; i < 300; i++) {
                timers.schedule("q", "k" + i, Duration.ofHours(1), new byte[100])
                        .join();
            }
        }
        return data;
    }

    private static Tickwheel open(Path data) {
        return Tickwheel.open(FileTimerStore.in(data).withSegmentBytes(4_096).withCheckpointBytes(8_192));
    }

    /** The oldest: the newest may be left over from a checkpoint that the closing cut short. */
    private static Path run(Path data) throws IOException {
        try (Stream<Path> files = Files.list(data.resolve("schedulelog"))) {
            return files.filter(file -> file.toString().endsWith(".run"))
                    .min(Path::compareTo)
                    .orElseThrow();
        }
    }

    private static Optional<Path> savedKeys(Path data) throws IOException {
        try (Stream<Path> files = Files.list(data.resolve("keys"))) {
            return files.findFirst();
        }
    }

    private static void damage(Path file, int at) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[at] ^= 1;
        Files.write(file, bytes);
    }

    @Test
    void wholeStoreIsShownAndVerifiedAndCopied() {
        Path data = store();
        Ended inspect = run("inspect", data);
        assertThat(inspect.code()).isZero();
        assertThat(inspect.output()).contains("format      3", "schedulelog/", "  q  ");
        assertThat(run("inspect", "--json", data).output())
                .startsWith("{\"format\":3,\"storeId\":\"")
                .contains("\"queues\":[{\"name\":\"q\",\"pending\":");
        Ended verify = run("verify", data);
        assertThat(verify.code()).isZero();
        assertThat(verify.output()).contains("all is well");
        assertThat(run("verify", "--json", data).output()).endsWith("\"damages\":[]}\n");
        assertThat(run("backup", data, temp.resolve("copy")).code()).isZero();
        assertThat(run("restore", temp.resolve("copy"), temp.resolve("again")).code())
                .isZero();
        assertThat(run("verify", temp.resolve("again")).code()).isZero();
        assertThat(run("recover", "--quarantine", data).output()).contains("nothing is damaged");
    }

    @Test
    void damageEndsWith65AndIsGoneAfterRecover() throws IOException {
        Path data = store();
        Path run = run(data);
        damage(run, 60);
        Ended verify = run("verify", data);
        assertThat(verify.code()).isEqualTo(65);
        assertThat(verify.output()).contains("schedulelog/" + run.getFileName() + " at 32: ", "takes timers: 1");
        assertThat(run("verify", "--json", data).output()).contains("\"offset\":32", "\"timers\":1");
        assertThat(run("backup", data, temp.resolve("copy")).code()).isEqualTo(65);
        assertThat(run("recover", data).code()).isEqualTo(2);
        Ended recover = run("recover", "--quarantine", data);
        assertThat(recover.code()).isZero();
        assertThat(recover.output())
                .contains("kept 299 timers; known to be lost: 1", "quarantine/", "can be delivered again");
        assertThat(run("verify", data).code()).isZero();
        try (Tickwheel timers = open(data)) {
            assertThat(timers.liveCount()).isEqualTo(299);
        }
    }

    @Test
    void recoverSaysOfHowManyDamagesNobodyKnowsWhatTheyTake() throws IOException {
        Path data = store();
        damage(run(data), 60);
        try (Stream<Path> segments = Files.list(data.resolve("commitlog"))) {
            for (Path segment : segments.toList()) {
                Files.delete(segment);
            }
        }
        assertThat(run("recover", "--quarantine", data).output())
                .contains("takes timers: 1", "how many timers it takes is not known")
                .contains("known to be lost: 1, and more by 1 of the damages above, of which nobody knows how many");
    }

    @Test
    void recoverNamesWhatTheNextStartMends() throws IOException {
        Path data = store();
        Optional<Path> saved = savedKeys(data);
        // A close that comes in the middle of a checkpoint saves none.
        for (int i = 0; saved.isEmpty() && i < 100; i++) {
            open(data).close();
            saved = savedKeys(data);
        }
        Path keys = saved.orElseThrow();
        damage(keys, 20);
        assertThat(run("recover", "--quarantine", data).output())
                .startsWith("keys/" + keys.getFileName() + " at 0: the saved key index is missing or damaged")
                .contains("nothing is damaged that the next start does not mend; nothing was changed");
    }

    @Test
    void damagedManifestIsNamedByInspect() throws IOException {
        Path data = store();
        damage(data.resolve("MANIFEST-00000001-A"), 20);
        damage(data.resolve("MANIFEST-00000001-B"), 20);
        Ended inspect = run("inspect", data);
        assertThat(inspect.code()).isEqualTo(65);
        assertThat(inspect.error()).startsWith("tickwheel: corrupt store: ").contains("MANIFEST-");
    }

    @Test
    void storeThatIsOpenCanBeReadAndCopiedButNotRecovered() {
        Path data = store();
        try (Tickwheel timers = open(data)) {
            assertThat(timers.isRunning()).isTrue();
            assertThat(run("inspect", data).code()).isZero();
            assertThat(run("verify", data).code()).isZero();
            assertThat(run("backup", data, temp.resolve("copy")).code()).isZero();
            Ended recover = run("recover", "--quarantine", data);
            assertThat(recover.code()).isEqualTo(75);
            assertThat(recover.error()).startsWith("tickwheel: the store in ");
        }
    }

    @Test
    void directoryWithoutAStoreEndsWith74() {
        for (String command : new String[] {"inspect", "verify"}) {
            Ended ended = run(command, temp.resolve("none"));
            assertThat(ended.code()).as(command).isEqualTo(74);
            assertThat(ended.error()).contains("no store");
        }
        assertThat(run("recover", "--quarantine", temp.resolve("none")).code()).isEqualTo(74);
        assertThat(run("backup", temp.resolve("none"), temp.resolve("copy")).code())
                .isEqualTo(74);
        assertThat(run("restore", temp.resolve("none"), temp.resolve("copy")).code())
                .isEqualTo(74);
        assertThat(temp).isEmptyDirectory();
    }

    @Test
    void wrongArgumentsEndWith2AndHelpShowsTheCommands() {
        assertThat(run("inspect").code()).isEqualTo(2);
        assertThat(run("verify", " ").code()).isEqualTo(2);
        assertThat(run("backup", "a").code()).isEqualTo(2);
        assertThat(run("--help").output())
                .contains("inspect", "verify", "backup", "restore", "recover", "export", "import", "65", "74", "75");
    }

    @Test
    void exportIsImportedElsewhereAsItWas() throws IOException {
        Path data = temp.resolve("data");
        Instant due = Instant.parse("2090-01-01T00:00:00.123Z");
        try (Tickwheel timers = open(data)) {
            for (int i = 0; i < 100; i++) {
                timers.schedule(TimerRequest.at("q" + i % 2, "k\u00e9" + i, due.plusSeconds(i))
                                .withPayload(new byte[] {1, (byte) i}, "application/x-any")
                                .withHeaders(Map.of("X-One", "\"1\""))
                                .withDestination(new Destination("http", "PUT http://shop:8080/close"))
                                .withRetry(RetryPolicy.exponential(3, Duration.ofMillis(1_500)))
                                .withExpireAfter(Duration.ofHours(2)))
                        .join();
                timers.schedule(TimerRequest.at("q" + i % 2, "touched" + i, due.plusSeconds(i))
                                .withTouchable())
                        .join();
            }
            timers.schedule(TimerRequest.at("q0", "put", due)
                            .withOnConflict(OnConflict.LATEST)
                            .withMaxWait(Duration.ofDays(36_500)))
                    .join();
            timers.schedule(TimerRequest.at("q0", "log", due).withDestination(new Destination("log", "")))
                    .join();
            timers.cancel("q0", "k\u00e90").join();
        }
        Path file = temp.resolve("timers.ndjson");
        assertThat(run("export", data, "--to", file).code()).isZero();
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(201).anyMatch(line -> line.contains("\"target\":{\"log\":{}}"));
        Path other = temp.resolve("other");
        Ended done = run("import", other, "--from", file);
        assertThat(done.code()).as(done.error()).isZero();
        assertThat(done.output()).contains("scheduled 201, ");
        Path again = temp.resolve("again.ndjson");
        assertThat(run("export", other, "--to", again).code()).isZero();
        assertThat(timers(Files.readAllLines(again))).containsExactlyInAnyOrderElementsOf(timers(lines));
        Ended twice = run("import", other, "--from", file);
        assertThat(twice.code()).isEqualTo(65);
        assertThat(twice.error()).contains("line 1: there is a timer under ");
        assertThat(run("import", other, "--from", file, "--on-conflict", "keep").output())
                .contains("scheduled 0, kept 201 ");
    }

    /** What does not name the store. */
    private static List<String> timers(List<String> lines) {
        return lines.stream()
                .map(line -> line.substring(line.indexOf("\"timer\":")))
                .toList();
    }

    @Test
    void fileInThePlaceOfADirectoryIsNamed() throws IOException {
        Path file = Files.createFile(temp.resolve("file"));
        String refusal = "tickwheel: " + file + " is a file, must be a directory\n";
        for (String command : List.of("inspect", "verify", "export", "import")) {
            Ended refused = run(command, file);
            assertThat(refused.error()).as(command).isEqualTo(refusal);
            assertThat(refused.code()).as(command).isEqualTo(74);
        }
        Path data = store();
        assertThat(run("recover", "--quarantine", file).error()).isEqualTo(refusal);
        assertThat(run("backup", data, file).error()).isEqualTo(refusal);
        assertThat(run("backup", data, temp.resolve("backup")).code()).isZero();
        assertThat(run("restore", temp.resolve("backup"), file).error()).isEqualTo(refusal);
    }

    @Test
    void linkThatLeadsNowhereIsNamed() throws IOException {
        Path link = Files.createSymbolicLink(temp.resolve("link"), temp.resolve("gone"));
        String refusal = "tickwheel: " + link + " is a link that leads nowhere, must be a directory\n";
        for (String command : List.of("inspect", "verify", "export", "import")) {
            assertThat(run(command, link).error()).as(command).isEqualTo(refusal);
        }
        assertThat(run("backup", store(), link).error()).isEqualTo(refusal);
    }

    /** It would be lost with its store. */
    @Test
    void backupWithinItsStoreIsRefused() throws IOException {
        Path data = store();
        Path link = Files.createSymbolicLink(temp.resolve("link"), data);
        for (Path to : List.of(data.resolve("monday"), data.resolve("a/b"), link.resolve("monday"), data)) {
            Ended refused = run("backup", data, to);
            assertThat(refused.error())
                    .isEqualTo("tickwheel: " + to + " is within the store in " + data + ", must be elsewhere\n");
            assertThat(refused.code()).isEqualTo(74);
        }
        assertThat(data.resolve("monday")).doesNotExist();
        assertThat(run("backup", data, temp.resolve("database")).code()).isZero();
    }

    /** A part of an export would be taken for the whole. */
    @Test
    void exportHasItsNameOnceItIsWhole() throws IOException {
        Path data = store();
        Path sound = temp.resolve("sound");
        assertThat(run("export", data, "--to", sound).code()).isZero();
        Path run = run(data);
        damage(run, (int) Files.size(run) / 2);
        Path file = temp.resolve("timers.ndjson");
        Ended failed = run("export", data, "--to", file);
        assertThat(failed.code()).as(failed.error()).isEqualTo(65);
        assertThat(files()).containsExactlyInAnyOrder("data", "sound");
    }

    @Test
    void exportTakesThePlaceOfWhatOneThatWasKilledHasLeft() throws IOException {
        Path data = store();
        Path file = temp.resolve("timers.ndjson");
        Path part = Files.write(temp.resolve("timers.ndjson.part"), new byte[1 << 20]);
        assertThat(run("export", data, "--to", file).code()).isZero();
        assertThat(Files.readAllLines(file)).hasSize(300);
        assertThat(part).doesNotExist();
        // Of one that goes on.
        Files.createFile(part);
        Ended twice = run("export", data, "--to", file);
        assertThat(twice.code()).isEqualTo(74);
        assertThat(twice.error()).endsWith("timers.ndjson: there is such a file already\n");
        assertThat(files()).containsExactlyInAnyOrder("data", "timers.ndjson", "timers.ndjson.part");
    }

    @Test
    void exportToADiskThatIsFullIsNoErrorOfTheStore() throws IOException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full), "there is no device that is full");
        Path data = store();
        Files.createSymbolicLink(temp.resolve("timers.ndjson.part"), full);
        Ended failed = run("export", data, "--to", temp.resolve("timers.ndjson"));
        assertThat(failed.error()).isEqualTo("tickwheel: cannot write the export: No space left on device\n");
        assertThat(failed.code()).isEqualTo(74);
        assertThat(files()).containsExactly("data");
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(temp)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    @Test
    void settingsOfQueuesAreExportedAndImported() throws IOException {
        Path data = store();
        QueueSettings settings = QueueSettings.NONE.withPaused(true).withRate(RateLimit.of(100));
        try (Tickwheel timers = open(data)) {
            timers.changeQueue("q", QueueChange.set(settings)).join();
            timers.changeQueue("gone", QueueChange.pause()).join();
            timers.forgetQueue("gone").join();
        }
        Path file = temp.resolve("export");
        assertThat(run("export", data, "--to", file).code()).isZero();
        assertThat(Files.readAllLines(file))
                .hasSize(301)
                .contains(
                        "{\"queue\":\"q\",\"settings\":{\"rate\":{\"perSecond\":100.0,\"burst\":5},\"paused\":true}}");
        Path other = temp.resolve("other");
        assertThat(run("import", other, "--from", file).output()).contains("scheduled 300", "set 1 queues");
        try (Tickwheel timers = open(other)) {
            assertThat(timers.queue("q").join().orElseThrow().settings()).isEqualTo(settings);
            assertThat(timers.queue("gone").join()).isEmpty();
            timers.changeQueue("q", QueueChange.replaceWith(QueueSettings.NONE)).join();
        }
        Ended refused = run("import", other, "--from", file);
        assertThat(refused.code()).isEqualTo(65);
        assertThat(refused.error()).contains("something is set of queue q");
        assertThat(run("import", other, "--from", file, "--on-conflict", "keep").output())
                .contains("kept 301", "refused 0");
        try (RunningServer server = new RunningServer(temp.resolve("server"))) {
            String url = "http://127.0.0.1:" + server.port();
            assertThat(run("import", "--server", url, "--from", file).output())
                    .contains("scheduled 300", "set 1 queues");
            assertThat(server.get("/v1/queues/q").body()).contains("\"settings\":{\"rate\":{");
            assertThat(run("import", "--server", url, "--from", file).error()).contains("something is set of queue q");
            assertThat(run("import", "--server", url, "--from", file, "--on-conflict", "replace")
                            .output())
                    .contains("set 1 queues");
        }
        assertThat(run("export", data, "--queue", "q").output().lines()).hasSize(300);
    }

    @Test
    void linesAreToldApartByTheirFieldsWhateverElseIsCalledSo() throws IOException {
        Path data = temp.resolve("data");
        try (Tickwheel timers = open(data)) {
            for (String queue : List.of("timer", "settings")) {
                timers.changeQueue(queue, QueueChange.pause()).join();
                timers.schedule(
                                queue,
                                "settings",
                                Duration.ofHours(1),
                                "{\"timer\":\"settings\"}".getBytes(StandardCharsets.UTF_8))
                        .join();
            }
        }
        Path file = temp.resolve("export");
        assertThat(run("export", data, "--to", file).code()).isZero();
        Path other = temp.resolve("other");
        Ended done = run("import", other, "--from", file);
        assertThat(done.error()).isEmpty();
        assertThat(done.output()).contains("scheduled 2, ", "set 2 queues");
        try (Tickwheel timers = open(other)) {
            assertThat(timers.queue("timer").join().orElseThrow().settings().paused())
                    .isTrue();
            assertThat(timers.find("settings", "settings").join()).isPresent();
        }
    }

    /** An import has a clock that stands: the first time of a schedule counts from now. */
    @Test
    void recurringLineWithoutADueTimeBeginsNow() throws IOException {
        Path file = temp.resolve("timers.ndjson");
        Files.write(
                file,
                List.of(
                        "{\"key\":\"rate\",\"schedule\":{\"every\":\"36500d\"}}",
                        "{\"key\":\"cron\",\"schedule\":{\"cron\":\"0 0 0 1 1 *\",\"zone\":\"UTC\"}}",
                        "{\"key\":\"over\",\"schedule\":{\"every\":\"1h\",\"until\":\"2020-01-01T00:00:00Z\"}}"));
        Path data = temp.resolve("data");
        Instant before = Instant.now();
        Ended done = run("import", data, "--queue", "q", "--from", file);
        assertThat(done.output()).as(done.error()).contains("scheduled 2,", "refused 1");
        assertThat(done.error()).contains("line 3: schedule is 'every PT1H; until 2020-01-01T00:00:00Z', must have");
        try (Tickwheel timers = open(data)) {
            for (String key : List.of("rate", "cron")) {
                assertThat(timers.find("q", key).join().orElseThrow().dueAt()).isAfter(before);
            }
        }
    }

    @Test
    void linesOfOneQueueAreWhatABatchTakes() throws IOException {
        Path data = store();
        Path file = temp.resolve("q.ndjson");
        assertThat(run("export", data, "--queue", "q", "--to", file).code()).isZero();
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(300);
        assertThat(run("export", data, "--to", file).code())
                .as("the file is there")
                .isEqualTo(74);
        assertThat(Files.readAllLines(file)).isEqualTo(lines);
        for (String line : lines) {
            byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
            ScheduleBody body = ScheduleBodyReader.read(
                    bytes, 0, bytes.length, ScheduleBody.Place.BATCH_LINE, InstalledTargets.kinds(), () -> null);
            assertThat(body.toRequest("q", body.key()).key().key()).startsWith("k");
        }
        assertThat(run("import", temp.resolve("other"), "--queue", "q", "--from", file)
                        .output())
                .contains("scheduled 300, ");
    }

    @Test
    void linesThatAreWrongAreNamedAndTheOthersAreScheduled() throws IOException {
        Path file = temp.resolve("timers.ndjson");
        Files.write(
                file,
                List.of(
                        "{\"queue\":\"q\",\"timer\":{\"key\":\"a\",\"dueAt\":\"2090-01-01T00:00:00Z\"}}",
                        "{\"queue\":\"q\",\"timer\":{\"key\":\"b\"}}",
                        "{\"queue\":\"q q\",\"timer\":{\"key\":\"c\",\"delay\":\"1h\"}}",
                        "nonsense",
                        "",
                        "{\"queue\":\"q\",\"state\":\"DEAD\",\"timer\":{\"key\":\"d\",\"delay\":\"1h\"}}",
                        "{\"queue\":\"q\",\"timer\":{\"key\":\"e\",\"delay\":\"1h\",\"contentBase64\":\"\"}}"));
        Path data = temp.resolve("data");
        Ended done = run("import", data, "--from", file);
        assertThat(done.code()).isEqualTo(65);
        assertThat(done.output()).contains("scheduled 1, kept 0 that were there, passed over 1 dead, refused 4");
        assertThat(done.error()).contains("line 2: ", "line 3: ", "line 4: ", "line 7: ");
        try (Tickwheel timers = open(data)) {
            assertThat(timers.liveCount()).isEqualTo(1);
            assertThat(timers.find("q", "a").join()).isPresent();
        }
    }

    @Test
    void whatIsNoUtf8EndsAnImportWhereverItComesFrom() throws IOException {
        byte[] lines = "{\"queue\":\"q\",\"timer\":{\"key\":\"caf\u00e9\",\"delay\":\"1h\"}}\n"
                .getBytes(StandardCharsets.ISO_8859_1);
        Path file = temp.resolve("timers.ndjson");
        Files.write(file, lines);
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(lines));
        try {
            for (List<Path> source : List.of(List.<Path>of(), List.of(file))) {
                Path data = temp.resolve("data" + source.size());
                Ended done = source.isEmpty() ? run("import", data) : run("import", data, "--from", file);
                assertThat(done.code()).isEqualTo(74);
                assertThat(done.error()).contains("cannot import: ");
            }
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void whatAnImportReplacesIsScheduledWhateverTheStore() throws IOException {
        String due = "{\"queue\":\"q\",\"timer\":{\"key\":\"%s\",\"dueAt\":\"20%d-01-01T00:00:00Z\"%s}}";
        Path before = temp.resolve("before");
        Files.write(before, List.of(due.formatted("a", 90, ""), due.formatted("b", 90, "")));
        Path after = temp.resolve("after");
        Files.write(after, List.of(due.formatted("a", 80, ""), due.formatted("b", 99, ""), due.formatted("c", 90, "")));
        Path own = temp.resolve("own");
        Files.writeString(own, due.formatted("c", 95, ",\"onConflict\":\"replace\""));
        try (RunningServer server = new RunningServer(temp.resolve("server"))) {
            for (List<Object> store : List.<List<Object>>of(
                    List.of(temp.resolve("data")), List.of("--server", "http://127.0.0.1:" + server.port()))) {
                assertThat(run(words(store, before)).output()).startsWith("scheduled 2, kept 0 ");
                assertThat(run(words(store, after, "--on-conflict", "earliest")).output())
                        .startsWith("scheduled 2, kept 1 ");
                assertThat(run(words(store, own)).output()).startsWith("scheduled 1, kept 0 ");
            }
        }
    }

    private static Object[] words(List<Object> store, Path file, Object... more) {
        return Stream.of(Stream.of("import"), store.stream(), Stream.of("--from", file), Stream.of(more))
                .flatMap(some -> some)
                .toArray();
    }

    /** An import has a clock that stands: what counts from now is reckoned before. */
    @Test
    void touchableLineRemembersItsDelayAndALongestWaitIsRefused() throws IOException {
        Path file = temp.resolve("timers.ndjson");
        Files.write(
                file,
                List.of(
                        "{\"key\":\"a\",\"delay\":\"1h\",\"touchable\":true}",
                        "{\"key\":\"b\",\"delay\":\"1h\",\"onConflict\":\"latest\",\"maxWait\":\"2h\"}"));
        Path data = temp.resolve("data");
        Ended done = run("import", data, "--queue", "q", "--from", file);
        assertThat(done.output()).contains("scheduled 1, ", "refused 1");
        assertThat(done.error()).contains("line 2: maxWait is for a running server, must not be in the line");
        Instant before = Instant.now();
        try (Tickwheel timers = open(data)) {
            Changed touched = timers.touch("q", "a").join();
            assertThat(touched.timer())
                    .satisfies(timer -> assertThat(timer.dueAt())
                            .isBetween(
                                    before.plus(Duration.ofMinutes(59)),
                                    Instant.now().plus(Duration.ofMinutes(61))));
        }
    }

    @Test
    void storeThatIsOpenIsNotExported() {
        Path data = store();
        try (Tickwheel timers = open(data)) {
            assertThat(timers.isRunning()).isTrue();
            assertThat(run("export", data).code()).isEqualTo(75);
            assertThat(run("import", data, "--from", data.resolve("LOCK")).code())
                    .isEqualTo(75);
        }
    }
}
