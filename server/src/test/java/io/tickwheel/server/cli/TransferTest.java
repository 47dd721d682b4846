package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tickwheel.engine.Destination;
import io.tickwheel.engine.QueueChange;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.RateLimit;
import io.tickwheel.engine.RetryPolicy;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.engine.TimerRequest;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.SmallSegments;
import io.tickwheel.server.targets.InstalledTargets;
import io.tickwheel.server.wire.ScheduleBody;
import io.tickwheel.server.wire.ScheduleBodyReader;
import io.tickwheel.store.Changed;
import io.tickwheel.store.OnConflict;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an export writes, and what an import makes of it and of lines that others wrote. */
final class TransferTest {

    @TempDir
    private Path temp;

    @Test
    void exportIsImportedElsewhereAsItWas() throws IOException {
        Path data = temp.resolve("data");
        Instant due = Instant.parse("2090-01-01T00:00:00.123Z");
        try (Tickwheel timers = StoreCommands.open(data)) {
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
        assertThat(StoreCommands.run("export", data, "--to", file).code()).isZero();
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(201).anyMatch(line -> line.contains("\"target\":{\"log\":{}}"));
        Path other = temp.resolve("other");
        Ended done = StoreCommands.run("import", other, "--from", file);
        assertThat(done.code()).as(done.error()).isZero();
        assertThat(done.output()).contains("scheduled 201, ");
        Path again = temp.resolve("again.ndjson");
        assertThat(StoreCommands.run("export", other, "--to", again).code()).isZero();
        assertThat(timers(Files.readAllLines(again))).containsExactlyInAnyOrderElementsOf(timers(lines));
        Ended twice = StoreCommands.run("import", other, "--from", file);
        assertThat(twice.code()).isEqualTo(65);
        assertThat(twice.error()).contains("line 1: there is a timer under ");
        assertThat(StoreCommands.run("import", other, "--from", file, "--on-conflict", "keep")
                        .output())
                .contains("scheduled 0, kept 201 ");
    }

    /** What does not name the store. */
    private static List<String> timers(List<String> lines) {
        return lines.stream()
                .map(line -> line.substring(line.indexOf("\"timer\":")))
                .toList();
    }

    /** A part of an export would be taken for the whole. */
    @Test
    void exportHasItsNameOnceItIsWhole() throws IOException {
        Path data = StoreCommands.filled(temp);
        Path sound = temp.resolve("sound");
        assertThat(StoreCommands.run("export", data, "--to", sound).code()).isZero();
        Path run = StoreCommands.oldestRun(data);
        StoreCommands.damage(run, (int) Files.size(run) / 2);
        Path file = temp.resolve("timers.ndjson");
        Ended failed = StoreCommands.run("export", data, "--to", file);
        assertThat(failed.code()).as(failed.error()).isEqualTo(65);
        assertThat(files()).containsExactlyInAnyOrder("data", "sound");
    }

    @Test
    void largestPayloadsAreImported() throws IOException {
        byte[] bytes = new byte[16 << 20];
        byte[] text = "x".repeat(bytes.length).getBytes(StandardCharsets.US_ASCII);
        text[0] = '"';
        text[text.length - 1] = '"';
        Path data = temp.resolve("data");
        try (Tickwheel timers = Tickwheel.open(SmallSegments.store(data))) {
            timers.schedule("q", "bytes", Duration.ofHours(1), bytes).join();
            timers.schedule(TimerRequest.after("q", "text", Duration.ofHours(1)).withPayload(text, "application/json"))
                    .join();
        }
        Path file = temp.resolve("timers.ndjson");
        assertThat(StoreCommands.run("export", data, "--to", file).code()).isZero();
        Path other = temp.resolve("other");
        Ended done = StoreCommands.run("import", other, "--from", file);
        assertThat(done.error()).isEmpty();
        assertThat(done.output()).contains("scheduled 2, ");
        try (Tickwheel timers = Tickwheel.open(SmallSegments.store(other))) {
            assertThat(payload(timers, "bytes")).isEqualTo(bytes);
            assertThat(payload(timers, "text")).isEqualTo(text);
        }
    }

    private static byte[] payload(Tickwheel timers, String key) {
        TimerContent content = timers.read("q", key).join().orElseThrow().content();
        return Objects.requireNonNull(content, "a content that can be read").payload();
    }

    /** It has what its store has, which nobody else may read. */
    @Test
    void exportIsReadByItsOwnerOnly() throws IOException {
        Path file = temp.resolve("timers.ndjson");
        assertThat(StoreCommands.run("export", StoreCommands.filled(temp), "--to", file)
                        .code())
                .isZero();
        assertThat(Files.getPosixFilePermissions(file))
                .containsExactlyInAnyOrder(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
    }

    @Test
    void exportTakesThePlaceOfWhatOneThatWasKilledHasLeft() throws IOException {
        Path data = StoreCommands.filled(temp);
        Path file = temp.resolve("timers.ndjson");
        Path part = Files.write(temp.resolve("timers.ndjson.part"), new byte[1 << 20]);
        assertThat(StoreCommands.run("export", data, "--to", file).code()).isZero();
        assertThat(Files.readAllLines(file)).hasSize(300);
        assertThat(part).doesNotExist();
        // Of one that goes on.
        Files.createFile(part);
        Ended twice = StoreCommands.run("export", data, "--to", file);
        assertThat(twice.code()).isEqualTo(74);
        assertThat(twice.error()).endsWith("timers.ndjson: there is such a file already\n");
        assertThat(files()).containsExactlyInAnyOrder("data", "timers.ndjson", "timers.ndjson.part");
    }

    @Test
    void exportToADiskThatIsFullIsNoErrorOfTheStore() throws IOException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full), "there is no device that is full");
        Path data = StoreCommands.filled(temp);
        Files.createSymbolicLink(temp.resolve("timers.ndjson.part"), full);
        Ended failed = StoreCommands.run("export", data, "--to", temp.resolve("timers.ndjson"));
        assertThat(failed.error()).isEqualTo("tickwheel: cannot write the export: No space left on device\n");
        assertThat(failed.code()).isEqualTo(74);
        assertThat(files()).containsExactly("data");
    }

    @Test
    void storeThatIsOpenIsNotExported() {
        Path data = StoreCommands.filled(temp);
        try (Tickwheel timers = StoreCommands.open(data)) {
            assertThat(timers.isRunning()).isTrue();
            assertThat(StoreCommands.run("export", data).code()).isEqualTo(75);
            assertThat(StoreCommands.run("import", data, "--from", data.resolve("LOCK"))
                            .code())
                    .isEqualTo(75);
        }
    }

    @Test
    void linesOfOneQueueAreWhatABatchTakes() throws IOException {
        Path data = StoreCommands.filled(temp);
        Path file = temp.resolve("q.ndjson");
        assertThat(StoreCommands.run("export", data, "--queue", "q", "--to", file)
                        .code())
                .isZero();
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(300);
        assertThat(StoreCommands.run("export", data, "--to", file).code())
                .as("the file is there")
                .isEqualTo(74);
        assertThat(Files.readAllLines(file)).isEqualTo(lines);
        for (String line : lines) {
            byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
            ScheduleBody body = ScheduleBodyReader.read(
                    bytes, 0, bytes.length, ScheduleBody.Place.BATCH_LINE, InstalledTargets.kinds(), () -> null);
            assertThat(body.toRequest("q", body.key()).key().key()).startsWith("k");
        }
        assertThat(StoreCommands.run("import", temp.resolve("other"), "--queue", "q", "--from", file)
                        .output())
                .contains("scheduled 300, ");
    }

    @Test
    void settingsOfQueuesAreExportedAndImported() throws IOException {
        Path data = StoreCommands.filled(temp);
        QueueSettings settings = QueueSettings.NONE.withPaused(true).withRate(RateLimit.of(100));
        try (Tickwheel timers = StoreCommands.open(data)) {
            timers.changeQueue("q", QueueChange.set(settings)).join();
            timers.changeQueue("gone", QueueChange.pause()).join();
            timers.forgetQueue("gone").join();
        }
        Path file = temp.resolve("export");
        assertThat(StoreCommands.run("export", data, "--to", file).code()).isZero();
        assertThat(Files.readAllLines(file))
                .hasSize(301)
                .contains(
                        "{\"queue\":\"q\",\"settings\":{\"rate\":{\"perSecond\":100.0,\"burst\":5},\"paused\":true}}");
        Path other = temp.resolve("other");
        assertThat(StoreCommands.run("import", other, "--from", file).output())
                .contains("scheduled 300", "set 1 queues");
        try (Tickwheel timers = StoreCommands.open(other)) {
            assertThat(timers.queue("q").join().orElseThrow().settings()).isEqualTo(settings);
            assertThat(timers.queue("gone").join()).isEmpty();
            timers.changeQueue("q", QueueChange.replaceWith(QueueSettings.NONE)).join();
        }
        Ended refused = StoreCommands.run("import", other, "--from", file);
        assertThat(refused.code()).isEqualTo(65);
        assertThat(refused.error()).contains("something is set of queue q");
        assertThat(StoreCommands.run("import", other, "--from", file, "--on-conflict", "keep")
                        .output())
                .contains("kept 301", "refused 0");
        try (RunningServer server = new RunningServer(temp.resolve("server"))) {
            String url = "http://127.0.0.1:" + server.port();
            assertThat(StoreCommands.run("import", "--server", url, "--from", file)
                            .output())
                    .contains("scheduled 300", "set 1 queues");
            assertThat(server.get("/v1/queues/q").body()).contains("\"settings\":{\"rate\":{");
            assertThat(StoreCommands.run("import", "--server", url, "--from", file)
                            .error())
                    .contains("something is set of queue q");
            assertThat(StoreCommands.run("import", "--server", url, "--from", file, "--on-conflict", "replace")
                            .output())
                    .contains("set 1 queues");
        }
        assertThat(StoreCommands.run("export", data, "--queue", "q").output().lines())
                .hasSize(300);
    }

    @Test
    void linesAreToldApartByTheirFieldsWhateverElseIsCalledSo() throws IOException {
        Path data = temp.resolve("data");
        try (Tickwheel timers = StoreCommands.open(data)) {
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
        assertThat(StoreCommands.run("export", data, "--to", file).code()).isZero();
        Path other = temp.resolve("other");
        Ended done = StoreCommands.run("import", other, "--from", file);
        assertThat(done.error()).isEmpty();
        assertThat(done.output()).contains("scheduled 2, ", "set 2 queues");
        try (Tickwheel timers = StoreCommands.open(other)) {
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
        Ended done = StoreCommands.run("import", data, "--queue", "q", "--from", file);
        assertThat(done.output()).as(done.error()).contains("scheduled 2,", "refused 1");
        assertThat(done.error()).contains("line 3: schedule is 'every PT1H; until 2020-01-01T00:00:00Z', must have");
        try (Tickwheel timers = StoreCommands.open(data)) {
            for (String key : List.of("rate", "cron")) {
                assertThat(timers.find("q", key).join().orElseThrow().dueAt()).isAfter(before);
            }
        }
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
        Ended done = StoreCommands.run("import", data, "--queue", "q", "--from", file);
        assertThat(done.output()).contains("scheduled 1, ", "refused 1");
        assertThat(done.error()).contains("line 2: maxWait is for a running server, must not be in the line");
        Instant before = Instant.now();
        try (Tickwheel timers = StoreCommands.open(data)) {
            Changed touched = timers.touch("q", "a").join();
            assertThat(touched.timer())
                    .satisfies(timer -> assertThat(timer.dueAt())
                            .isBetween(
                                    before.plus(Duration.ofMinutes(59)),
                                    Instant.now().plus(Duration.ofMinutes(61))));
        }
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
        Ended done = StoreCommands.run("import", data, "--from", file);
        assertThat(done.code()).isEqualTo(65);
        assertThat(done.output()).contains("scheduled 1, kept 0 that were there, passed over 1 dead, refused 4");
        assertThat(done.error()).contains("line 2: ", "line 3: ", "line 4: ", "line 7: ");
        try (Tickwheel timers = StoreCommands.open(data)) {
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
                Ended done = source.isEmpty()
                        ? StoreCommands.run("import", data)
                        : StoreCommands.run("import", data, "--from", file);
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
                assertThat(StoreCommands.run(words(store, before)).output()).startsWith("scheduled 2, kept 0 ");
                assertThat(StoreCommands.run(words(store, after, "--on-conflict", "earliest"))
                                .output())
                        .startsWith("scheduled 2, kept 1 ");
                assertThat(StoreCommands.run(words(store, own)).output()).startsWith("scheduled 1, kept 0 ");
            }
        }
    }

    private static Object[] words(List<Object> store, Path file, Object... more) {
        return Stream.of(Stream.of("import"), store.stream(), Stream.of("--from", file), Stream.of(more))
                .flatMap(some -> some)
                .toArray();
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(temp)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }
}
