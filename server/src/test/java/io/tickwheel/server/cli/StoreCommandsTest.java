package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.TimerQuery;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands that look after a data directory: what they print and how they end. */
final class StoreCommandsTest {

    @TempDir
    private Path temp;

    private static Optional<Path> savedKeys(Path data) throws IOException {
        try (Stream<Path> files = Files.list(data.resolve("keys"))) {
            return files.findFirst();
        }
    }

    @Test
    void wholeStoreIsShownAndVerifiedAndCopied() {
        Path data = StoreCommands.filled(temp);
        Ended inspect = StoreCommands.run("inspect", data);
        assertThat(inspect.code()).isZero();
        assertThat(inspect.output()).contains("format      3", "schedulelog/", "  q  ");
        assertThat(StoreCommands.run("inspect", "--json", data).output())
                .startsWith("{\"format\":3,\"storeId\":\"")
                .contains("\"queues\":[{\"name\":\"q\",\"pending\":");
        Ended verify = StoreCommands.run("verify", data);
        assertThat(verify.code()).isZero();
        assertThat(verify.output()).contains("all is well");
        assertThat(StoreCommands.run("verify", "--json", data).output()).endsWith("\"damages\":[]}\n");
        assertThat(StoreCommands.run("backup", data, temp.resolve("copy")).code())
                .isZero();
        assertThat(StoreCommands.run("restore", temp.resolve("copy"), temp.resolve("again"))
                        .code())
                .isZero();
        assertThat(StoreCommands.run("verify", temp.resolve("again")).code()).isZero();
        assertThat(StoreCommands.run("recover", "--quarantine", data).output()).contains("nothing is damaged");
    }

    @Test
    void damageEndsWith65AndIsGoneAfterRecover() throws IOException {
        Path data = StoreCommands.filled(temp);
        Path run = StoreCommands.oldestRun(data);
        StoreCommands.damage(run, 60);
        Ended verify = StoreCommands.run("verify", data);
        assertThat(verify.code()).isEqualTo(65);
        assertThat(verify.output()).contains("schedulelog/" + run.getFileName() + " at 32: ", "takes timers: 1");
        assertThat(StoreCommands.run("verify", "--json", data).output()).contains("\"offset\":32", "\"timers\":1");
        assertThat(StoreCommands.run("backup", data, temp.resolve("copy")).code())
                .isEqualTo(65);
        assertThat(StoreCommands.run("recover", data).code()).isEqualTo(2);
        Ended recover = StoreCommands.run("recover", "--quarantine", data);
        assertThat(recover.code()).isZero();
        assertThat(recover.output())
                .contains("kept 299 timers; known to be lost: 1", "quarantine/", "can be delivered again");
        assertThat(StoreCommands.run("verify", data).code()).isZero();
        try (Tickwheel timers = StoreCommands.open(data)) {
            assertThat(timers.liveCount()).isEqualTo(299);
        }
    }

    @Test
    void recoverSaysOfHowManyDamagesNobodyKnowsWhatTheyTake() throws IOException {
        Path data = StoreCommands.filled(temp);
        StoreCommands.damage(StoreCommands.oldestRun(data), 60);
        try (Stream<Path> segments = Files.list(data.resolve("commitlog"))) {
            for (Path segment : segments.toList()) {
                Files.delete(segment);
            }
        }
        assertThat(StoreCommands.run("recover", "--quarantine", data).output())
                .contains("takes timers: 1", "how many timers it takes is not known")
                .contains("known to be lost: 1, and more by 1 of the damages above, of which nobody knows how many");
    }

    @Test
    void recoverNamesWhatTheNextStartMends() throws IOException {
        Path data = StoreCommands.filled(temp);
        Optional<Path> saved = savedKeys(data);
        // A close that comes in the middle of a checkpoint saves none, nor one before the keys are known again.
        for (int i = 0; saved.isEmpty() && i < 100; i++) {
            try (Tickwheel timers = StoreCommands.open(data)) {
                assertThat(timers.list(TimerQuery.of("q")).join().timers()).isNotEmpty();
            }
            saved = savedKeys(data);
        }
        Path keys = saved.orElseThrow();
        StoreCommands.damage(keys, 20);
        assertThat(StoreCommands.run("recover", "--quarantine", data).output())
                .startsWith("keys/" + keys.getFileName() + " at 0: the saved key index is missing or damaged")
                .contains("nothing is damaged that the next start does not mend; nothing was changed");
    }

    @Test
    void damagedManifestIsNamedByInspect() throws IOException {
        Path data = StoreCommands.filled(temp);
        StoreCommands.damage(data.resolve("MANIFEST-00000001-A"), 20);
        StoreCommands.damage(data.resolve("MANIFEST-00000001-B"), 20);
        Ended inspect = StoreCommands.run("inspect", data);
        assertThat(inspect.code()).isEqualTo(65);
        assertThat(inspect.error()).startsWith("tickwheel: corrupt store: ").contains("MANIFEST-");
    }

    @Test
    void storeThatIsOpenCanBeReadAndCopiedButNotRecovered() {
        Path data = StoreCommands.filled(temp);
        try (Tickwheel timers = StoreCommands.open(data)) {
            assertThat(timers.isRunning()).isTrue();
            assertThat(StoreCommands.run("inspect", data).code()).isZero();
            assertThat(StoreCommands.run("verify", data).code()).isZero();
            assertThat(StoreCommands.run("backup", data, temp.resolve("copy")).code())
                    .isZero();
            Ended recover = StoreCommands.run("recover", "--quarantine", data);
            assertThat(recover.code()).isEqualTo(75);
            assertThat(recover.error()).startsWith("tickwheel: the store in ");
        }
    }

    @Test
    void directoryWithoutAStoreEndsWith74() {
        for (String command : new String[] {"inspect", "verify"}) {
            Ended ended = StoreCommands.run(command, temp.resolve("none"));
            assertThat(ended.code()).as(command).isEqualTo(74);
            assertThat(ended.error()).contains("no store");
        }
        assertThat(StoreCommands.run("recover", "--quarantine", temp.resolve("none"))
                        .code())
                .isEqualTo(74);
        assertThat(StoreCommands.run("backup", temp.resolve("none"), temp.resolve("copy"))
                        .code())
                .isEqualTo(74);
        assertThat(StoreCommands.run("restore", temp.resolve("none"), temp.resolve("copy"))
                        .code())
                .isEqualTo(74);
        assertThat(temp).isEmptyDirectory();
    }

    @Test
    void wrongArgumentsEndWith2AndHelpShowsTheCommands() {
        assertThat(StoreCommands.run("inspect").code()).isEqualTo(2);
        assertThat(StoreCommands.run("verify", " ").code()).isEqualTo(2);
        assertThat(StoreCommands.run("backup", "a").code()).isEqualTo(2);
        assertThat(StoreCommands.run("--help").output())
                .contains("inspect", "verify", "backup", "restore", "recover", "export", "import", "65", "74", "75");
    }

    @Test
    void fileInThePlaceOfADirectoryIsNamed() throws IOException {
        Path file = Files.createFile(temp.resolve("file"));
        String refusal = "tickwheel: " + file + " is a file, must be a directory\n";
        for (String command : List.of("inspect", "verify", "export", "import")) {
            Ended refused = StoreCommands.run(command, file);
            assertThat(refused.error()).as(command).isEqualTo(refusal);
            assertThat(refused.code()).as(command).isEqualTo(74);
        }
        Path data = StoreCommands.filled(temp);
        assertThat(StoreCommands.run("recover", "--quarantine", file).error()).isEqualTo(refusal);
        assertThat(StoreCommands.run("backup", data, file).error()).isEqualTo(refusal);
        assertThat(StoreCommands.run("backup", data, temp.resolve("backup")).code())
                .isZero();
        assertThat(StoreCommands.run("restore", temp.resolve("backup"), file).error())
                .isEqualTo(refusal);
    }

    @Test
    void linkThatLeadsNowhereIsNamed() throws IOException {
        Path link = Files.createSymbolicLink(temp.resolve("link"), temp.resolve("gone"));
        String refusal = "tickwheel: " + link + " is a link that leads nowhere, must be a directory\n";
        for (String command : List.of("inspect", "verify", "export", "import")) {
            assertThat(StoreCommands.run(command, link).error()).as(command).isEqualTo(refusal);
        }
        assertThat(StoreCommands.run("backup", StoreCommands.filled(temp), link).error())
                .isEqualTo(refusal);
    }

    /** Whichever of the two directories it is in. */
    @Test
    void fileThatIsRefusedIsNamedWithTheReasonInWords() throws IOException {
        Path data = StoreCommands.filled(temp);
        Path backup = temp.resolve("backup");
        assertThat(StoreCommands.run("backup", data, backup).code()).isZero();
        Path endless = temp.resolve("x".repeat(300));
        String refusal = "tickwheel: I/O error: " + endless + ": File name too long\n";
        assertThat(StoreCommands.run("backup", data, endless)).isEqualTo(new Ended(74, "", refusal));
        assertThat(StoreCommands.run("restore", backup, endless)).isEqualTo(new Ended(74, "", refusal));
        Path list = directoryInTheStead(backup.resolve("BACKUP"));
        assertThat(StoreCommands.run("restore", backup, temp.resolve("restored")))
                .isEqualTo(new Ended(74, "", "tickwheel: I/O error: reading " + list + " failed: Is a directory\n"));
        Path segment = directoryInTheStead(StoreCommands.newestSegment(data));
        assertThat(StoreCommands.run("backup", data, temp.resolve("other")))
                .isEqualTo(new Ended(74, "", "tickwheel: I/O error: reading " + segment + " failed: Is a directory\n"));
        assertThat(temp.resolve("restored")).doesNotExist();
        assertThat(temp.resolve("other")).doesNotExist();
    }

    @Test
    void fileInThePlaceOfADirectoryOfTheStoreIsNamed() throws IOException {
        Path data = StoreCommands.filled(temp);
        Path log = data.resolve("commitlog");
        Files.move(log, temp.resolve("away"));
        Files.createFile(log);
        String refusal = "tickwheel: I/O error: " + log + ": it is a file, must be a directory\n";
        for (Object[] command : new Object[][] {
            {"inspect", data},
            {"verify", data},
            {"recover", "--quarantine", data},
            {"backup", data, temp.resolve("backup")},
            {"export", data}
        }) {
            assertThat(StoreCommands.run(command)).as(command[0].toString()).isEqualTo(new Ended(74, "", refusal));
        }
    }

    /** No user may read that as a file. */
    private static Path directoryInTheStead(Path file) throws IOException {
        Files.delete(file);
        return Files.createDirectory(file);
    }

    /** It would be lost with its store. */
    @Test
    void backupWithinItsStoreIsRefused() throws IOException {
        Path data = StoreCommands.filled(temp);
        Path link = Files.createSymbolicLink(temp.resolve("link"), data);
        for (Path to : List.of(data.resolve("monday"), data.resolve("a/b"), link.resolve("monday"), data)) {
            Ended refused = StoreCommands.run("backup", data, to);
            assertThat(refused.error())
                    .isEqualTo("tickwheel: " + to + " is within the store in " + data + ", must be elsewhere\n");
            assertThat(refused.code()).isEqualTo(74);
        }
        assertThat(data.resolve("monday")).doesNotExist();
        assertThat(StoreCommands.run("backup", data, temp.resolve("database")).code())
                .isZero();
    }
}
