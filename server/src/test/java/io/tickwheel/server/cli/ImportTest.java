package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.server.Receiver;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.SmallSegments;
import io.tickwheel.store.TimerView;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an import does with lines whose moment is past: those of a paused queue wait, and dead ones live again. */
final class ImportTest {

    private static final int PAUSED = 2_500;
    private static final String PAST = "2026-01-01T00:00:00.000Z";

    @TempDir
    private Path temp;

    private static String line(String queue, String key, String dueAt, String more) {
        return "{\"queue\":\"" + queue + "\",\"timer\":{\"key\":\"" + key + "\",\"dueAt\":\"" + dueAt + "\"" + more
                + "}}";
    }

    private static String target(Receiver receiver, String path) {
        return ",\"target\":{\"url\":\"" + receiver.url(path) + "\"}";
    }

    private Path write(List<String> lines) throws IOException {
        return Files.write(temp.resolve("timers.ndjson"), lines);
    }

    private static String url(RunningServer server) {
        return "http://127.0.0.1:" + server.port();
    }

    @Test
    void firstLineMayBeginWithAByteOrderMark() throws IOException {
        Path file = write(List.of(
                "\ufeff" + line("q", "first", "2100-01-01T00:00:00Z", ""),
                line("q", "second", "2100-01-01T00:00:00Z", "")));
        Ended done = StoreCommands.run("import", temp.resolve("data"), "--from", file);
        assertThat(done.error()).isEmpty();
        assertThat(done.output()).contains("scheduled 2, ", "refused 0");
    }

    /** More lines than a batch has, so that some are sent before the last one is read; what stands there comes first all the same. */
    @Test
    void pausedQueueIsPausedBeforeItsTimersComeToAServer() throws Exception {
        try (Receiver receiver = new Receiver()) {
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < PAUSED; i++) {
                lines.add(line("q", "k" + i, PAST, target(receiver, "/paused")));
            }
            lines.add("{\"queue\":\"q\",\"settings\":{\"paused\":true}}");
            Path file = write(lines);
            InputStream before = System.in;
            for (boolean piped : new boolean[] {false, true}) {
                try (RunningServer server = new RunningServer(temp.resolve("served" + piped))) {
                    System.setIn(new ByteArrayInputStream(Files.readAllBytes(file)));
                    Ended done = piped
                            ? StoreCommands.run("import", "--server", url(server))
                            : StoreCommands.run("import", "--server", url(server), "--from", file);
                    assertThat(done.error()).isEmpty();
                    assertThat(done.output()).contains("scheduled " + PAUSED + ", ", "refused 0, set 1 queues");
                    server.put("other", "later", "{\"delay\":\"1s\"" + target(receiver, "/later") + "}");
                    assertThat(receiver.next().uri()).isEqualTo("/later");
                    assertThat(server.get("/v1/queues/q").field("pending")).isEqualTo(String.valueOf(PAUSED));
                } finally {
                    System.setIn(before);
                }
            }
        }
    }

    /** Its due time is long past, which is what it would expire by. */
    @Test
    void deadTimerThatExpiresLivesAgainAsByARedrive() throws Exception {
        try (Receiver receiver = new Receiver()) {
            Path file = write(List.of(line("q", "k", PAST, ",\"expireAfter\":\"1h\"" + target(receiver, "/k"))
                    .replace("\"timer\"", "\"state\":\"DEAD\",\"timer\"")));
            Instant before = Instant.now();
            Path data = temp.resolve("data");
            assertThat(StoreCommands.run("import", data, "--dead", "--from", file)
                            .output())
                    .startsWith("scheduled 1, ");
            try (Tickwheel timers = Tickwheel.open(SmallSegments.store(data))) {
                TimerView timer = timers.find("q", "k").join().orElseThrow();
                assertThat(timer.dueAt()).isBetween(before.minusMillis(1), Instant.now());
            }
            try (RunningServer server = new RunningServer(temp.resolve("served"))) {
                assertThat(StoreCommands.run("import", "--server", url(server), "--dead", "--from", file)
                                .output())
                        .startsWith("scheduled 1, ");
                assertThat(receiver.next().uri()).isEqualTo("/k");
            }
        }
    }

    @Test
    void whatCannotBeReadIsToldWithItsPlace() throws Exception {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < PAUSED; i++) {
            lines.add(line("q", "k" + i, "2100-01-01T00:00:00Z", ""));
        }
        Path file = write(lines);
        Files.write(file, new byte[] {'"', (byte) 0xE9, '"'}, StandardOpenOption.APPEND);
        Ended latin = StoreCommands.run("import", temp.resolve("data"), "--from", file);
        assertThat(latin.code()).isEqualTo(74);
        assertThat(latin.error())
                .startsWith("tickwheel: cannot import: " + file + ": it is not UTF-8, somewhere behind line 2")
                .containsPattern("behind line 2[0-9]{3}; what was scheduled before stands\\R$");
        Ended directory = StoreCommands.run("import", temp.resolve("data"), "--from", temp);
        assertThat(directory.code()).isEqualTo(2);
        assertThat(directory.error()).contains("--from is \"" + temp + "\", must be a file, and is a directory");
    }

    /** A file without line breaks would take the whole heap. The blanks of the first line are just as many as there may be. */
    @Test
    void lineThatIsTooLongIsRefusedAndThoseBehindItAreNot() throws Exception {
        String longest = " ".repeat(32 << 20);
        Path file = write(List.of(longest, longest + " ", line("q", "behind", "2100-01-01T00:00:00Z", "")));
        Ended done = StoreCommands.run("import", temp.resolve("data"), "--from", file);
        assertThat(done.code()).isEqualTo(65);
        assertThat(done.output()).contains("scheduled 1, ", "refused 1");
        assertThat(done.error().strip())
                .isEqualTo("line 2: has more characters than a timer can, must have at most 33554432");
    }

    /** A return and a line feed end one line, also where they are read apart; a return alone ends one too. */
    @Test
    void linesEndWithAReturnOrALineFeedOrBoth() throws Exception {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < PAUSED; i++) {
            text.append(line("q", "k" + i, "2100-01-01T00:00:00Z", "")).append(i % 2 == 0 ? "\r\n" : "\r");
        }
        Path file = Files.writeString(temp.resolve("returns.ndjson"), text.append("wrong"));
        Ended done = StoreCommands.run("import", temp.resolve("data"), "--from", file);
        assertThat(done.output()).contains("scheduled " + PAUSED + ", ", "refused 1");
        assertThat(done.error()).startsWith("line " + (PAUSED + 1) + ": ");
    }

    @Test
    void quotaOfAQueueRefusesNoneOfItsTimersInADirectory() throws Exception {
        Path file = write(List.of(
                "{\"queue\":\"q\",\"settings\":{\"maxPending\":1}}",
                line("q", "a", "2100-01-01T00:00:00Z", ""),
                line("q", "b", "2100-01-01T00:00:00Z", "")));
        Path data = temp.resolve("data");
        assertThat(StoreCommands.run("import", data, "--from", file).output())
                .contains("scheduled 2, ", "refused 0, set 1 queues");
        try (Tickwheel timers = Tickwheel.open(SmallSegments.store(data))) {
            assertThat(timers.queue("q").join().orElseThrow().settings().maxPending())
                    .isEqualTo(1L);
        }
    }

    /** Wherever the levels are set: in the import itself, behind the timers, or before it. */
    @Test
    void delayLevelIsOneOfTheQueue() throws Exception {
        Path file = write(List.of(
                "{\"queue\":\"q\",\"timer\":{\"key\":\"first\",\"delayLevel\":1}}",
                "{\"queue\":\"q\",\"timer\":{\"key\":\"last\",\"delayLevel\":30}}",
                "{\"queue\":\"q\",\"timer\":{\"key\":\"none\",\"delayLevel\":31}}",
                "{\"queue\":\"usual\",\"timer\":{\"key\":\"usual\",\"delayLevel\":1}}",
                "{\"queue\":\"q\",\"settings\":{\"delayLevels\":[\"36500d\"" + ",\"18250d\"".repeat(29) + "]}}"));
        Path later = Files.write(
                temp.resolve("later.ndjson"),
                List.of("{\"queue\":\"q\",\"timer\":{\"key\":\"later\",\"delayLevel\":1}}"));
        Path data = temp.resolve("data");
        Ended done = StoreCommands.run("import", data, "--from", file);
        assertThat(done.error()).contains("line 3: ", "delayLevel is 31, must be 1 to 30");
        assertThat(done.output()).contains("scheduled 3, ", "refused 1, set 1 queues");
        assertThat(StoreCommands.run("import", data, "--from", later).output()).startsWith("scheduled 1, ");
        Instant now = Instant.now();
        try (Tickwheel timers = Tickwheel.open(SmallSegments.store(data))) {
            assertThat(List.of(days(now, timers, "first"), days(now, timers, "last"), days(now, timers, "later")))
                    .containsExactly(36_500L, 18_250L, 36_500L);
            assertThat(timers.find("usual", "usual").join().orElseThrow().dueAt())
                    .isBetween(now.minusSeconds(600), now.plusSeconds(1));
        }
        try (RunningServer server = new RunningServer(temp.resolve("served"))) {
            Ended sent = StoreCommands.run("import", "--server", url(server), "--from", file);
            assertThat(sent.error()).contains("line 3: ", "delayLevel is 31, must be 1 to 30");
            assertThat(sent.output()).contains("scheduled 3, ", "refused 1, set 1 queues");
        }
    }

    /** A level is known only when the settings are, which may come last. */
    @Test
    void laterLineOfAKeyWinsThoughTheEarlierOneNamesALevel() throws Exception {
        Path file = write(List.of(
                "{\"queue\":\"q\",\"timer\":{\"key\":\"k\",\"delayLevel\":1}}",
                line("q", "k", "2100-01-01T00:00:00Z", ""),
                line("q", "l", "2100-01-01T00:00:00Z", ""),
                "{\"queue\":\"q\",\"timer\":{\"key\":\"l\",\"delayLevel\":1}}",
                "{\"queue\":\"q\",\"settings\":{\"delayLevels\":[\"36500d\"]}}"));
        Path data = temp.resolve("data");
        assertThat(StoreCommands.run("import", data, "--on-conflict", "replace", "--from", file)
                        .output())
                .startsWith("scheduled 4, ");
        try (Tickwheel timers = Tickwheel.open(SmallSegments.store(data))) {
            assertThat(timers.find("q", "k").join().orElseThrow().dueAt()).isEqualTo("2100-01-01T00:00:00Z");
            assertThat(days(Instant.now(), timers, "l")).isEqualTo(36_500L);
        }
    }

    /** In how many days a timer is due, to the next whole one. */
    private static long days(Instant now, Tickwheel timers, String key) {
        Instant due = timers.find("q", key).join().orElseThrow().dueAt();
        return Duration.between(now, due).plusHours(12).toDays();
    }

    /** Recurring timers are sent last, and what comes behind them for their keys. */
    @Test
    void laterLineOfAKeyWinsOnAServerThoughTheOtherOneIsRecurring() throws Exception {
        String recurring = ",\"schedule\":{\"every\":\"1h\"}";
        Path file = write(List.of(
                line("q", "k", "2100-01-01T00:00:00Z", recurring),
                line("q", "k", "2100-01-02T00:00:00Z", ""),
                line("q", "l", "2100-01-02T00:00:00Z", ""),
                line("q", "l", "2100-01-01T00:00:00Z", recurring),
                line("q", "m", "2100-01-01T00:00:00Z", "")));
        try (RunningServer server = new RunningServer(temp.resolve("served"))) {
            assertThat(StoreCommands.run("import", "--server", url(server), "--on-conflict", "replace", "--from", file)
                            .output())
                    .startsWith("scheduled 5, ");
            assertThat(server.get("q", "k").field("dueAt")).isEqualTo("2100-01-02T00:00:00.000Z");
            assertThat(server.get("q", "k").body()).doesNotContain("\"schedule\"");
            assertThat(server.get("q", "l").field("dueAt")).isEqualTo("2100-01-01T00:00:00.000Z");
        }
    }

    /** An export may come from anybody: a queue in it is a name, whatever stands in it. */
    @ParameterizedTest
    @ValueSource(strings = {"q/timers:cancel#", "q/timers:cancel?", "a b", "%71", "q#", "\u00e4"})
    void queueThatIsNoNameIsRefusedAndNothingElseIsCalled(String name) throws Exception {
        Path file = write(List.of(
                line(name, "k", "2100-01-01T00:00:00Z", ""),
                "{\"queue\":\"" + name + "\",\"settings\":{\"maxPending\":5}}",
                line("q", "k", "2100-01-01T00:00:00Z", "")));
        try (RunningServer server = new RunningServer(temp.resolve("served"))) {
            server.put("q", "there", "{\"delay\":\"1h\"}");
            Ended ended = StoreCommands.run("import", "--server", url(server), "--from", file);
            assertThat(ended.error()).contains("line 1: ", "line 2: ").doesNotContain("\tat ");
            assertThat(ended.output()).startsWith("scheduled 1, kept 0 that were there, passed over 0 dead, refused 2");
            assertThat(ended.code()).isEqualTo(65);
            assertThat(server.get("q", "there").field("state")).isEqualTo("PENDING");
            assertThat(server.get("/v1/queues/q").body()).doesNotContain("maxPending\":5");
            assertThat(server.get("/v1/bulk").body()).doesNotContain("\"id\"");
        }
    }

    /** What was there and has finished since is passed over too. */
    @Test
    void onceLeavesWhatWasDeliveredOrCancelled() throws Exception {
        Path file = write(List.of(
                line("q", "a", "2100-01-01T00:00:00Z", ""),
                line("q", "b", "2100-01-01T00:00:00Z", ""),
                "{\"queue\":\"q\",\"settings\":{\"maxPending\":5}}"));
        Path data = temp.resolve("data");
        StoreCommands.run("import", data, "--from", file);
        try (Tickwheel timers = Tickwheel.open(SmallSegments.store(data))) {
            timers.cancel("q", "a").join();
        }
        assertThat(StoreCommands.run("import", data, "--from", file, "--on-conflict", "once")
                        .output())
                .startsWith("scheduled 0, kept 3 ");
        try (RunningServer server = new RunningServer(temp.resolve("served"))) {
            StoreCommands.run("import", "--server", url(server), "--from", file);
            server.delete("q", "a");
            assertThat(StoreCommands.run("import", "--server", url(server), "--from", file, "--on-conflict", "once")
                            .output())
                    .startsWith("scheduled 0, kept 3 ");
            assertThat(server.get("q", "a").field("state")).isEqualTo("CANCELLED");
        }
    }

    /** The clock of an import stands, long ago, so that it delivers nothing. */
    @Test
    void secretsAndASlowStartAreThoseFromTheImportOn() throws Exception {
        Instant before = Instant.now().minusMillis(1);
        Path file = write(List.of("{\"queue\":\"q\",\"settings\":{\"slowStart\":{\"perSecond\":5},"
                + "\"secrets\":[\"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"]}}"));
        Path data = temp.resolve("data");
        assertThat(StoreCommands.run("import", data, "--from", file).output()).contains("set 1 queues");
        try (Tickwheel timers = Tickwheel.open(SmallSegments.store(data))) {
            QueueSettings set = timers.queue("q").join().orElseThrow().settings();
            assertThat(set.secrets().since()).isBetween(before, Instant.now());
            assertThat(set.slowStart().since()).isBetween(before, Instant.now());
        }
    }

    /** One of both would be lost. */
    @Test
    void lineThatHasANameTwiceIsRefused() throws Exception {
        String later = "\"timer\":{\"key\":\"k\",\"dueAt\":\"2100-01-01T00:00:00Z\"}";
        Path file = write(List.of(
                "{\"queue\":\"q\",\"queue\":\"r\"," + later + "}",
                "{\"queue\":\"q\"," + later + "," + later + "}",
                "{\"queue\":\"q\",\"settings\":{\"maxPending\":1},\"settings\":{}}"));
        Ended done = StoreCommands.run("import", temp.resolve("data"), "--from", file);
        assertThat(done.output()).contains("scheduled 0, ", "refused 3").doesNotContain("set 1");
        assertThat(done.error()).hasLineCount(3);
        assertThat(done.error().lines()).allMatch(line -> line.endsWith("has a name twice"));
    }

    @Test
    void addressWithAQueryIsNoServer() throws Exception {
        Path file = write(List.of(line("q", "a", "2100-01-01T00:00:00Z", "")));
        Ended done = StoreCommands.run("import", "--server", "http://127.0.0.1:1/?a=1", "--from", file);
        assertThat(done.code()).isEqualTo(2);
        assertThat(done.error()).contains("--server is \"http://127.0.0.1:1/?a=1\", must have no query");
    }

    @Test
    void brokenSettingsAreRefusedOnce() throws Exception {
        Path file = write(List.of(
                line("q", "a", "2100-01-01T00:00:00Z", ""),
                "{\"queue\":\"q\",\"settings\":{\"maxPending\":-1}}",
                "{\"queue\":\"r\",\"settings\":{},\"other\":1}",
                "{\"queue\":\"r\",\"settings\":{}"));
        try (RunningServer server = new RunningServer(temp.resolve("served"))) {
            for (Object[] command : new Object[][] {
                {"import", temp.resolve("data"), "--from", file},
                {"import", "--server", url(server), "--from", file}
            }) {
                Ended done = StoreCommands.run(command);
                assertThat(done.output()).contains("scheduled 1, ", "refused 3");
                assertThat(done.error()).containsOnlyOnce("line 2: ").contains("line 3: ", "line 4: ");
            }
        }
    }
}
