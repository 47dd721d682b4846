package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.server.RunningServer;
import io.tickwheel.store.file.FileTimerStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which commands show how far they have come, and that they show it to people only. */
final class CommandProgressTest {

    private static final String WIPE = "\r\u001b[K";

    @TempDir
    private Path temp;

    /** A tenth of a second passes whenever somebody looks: each step is shown. */
    private static final class Hurrying implements Clock {
        private long nanos;

        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public synchronized long monoNanos() {
            nanos += 100_000_000;
            return nanos;
        }
    }

    private static CommandRun terminal() {
        return CommandRun.inPipe().onTerminal().with(new Hurrying(), LockSupport::parkNanos);
    }

    private Path store() throws IOException {
        Path data = temp.resolve("data");
        try (Tickwheel timers =
                Tickwheel.open(FileTimerStore.in(data).withSegmentBytes(4_096).withCheckpointBytes(8_192))) {
            for (int i = 0; i < 300; i++) {
                timers.schedule("q", "k" + i, Duration.ofHours(1), new byte[100])
                        .join();
            }
        }
        return data;
    }

    private static void damageARun(Path data) throws IOException {
        try (Stream<Path> files = Files.list(data.resolve("schedulelog"))) {
            Path run = files.filter(file -> file.toString().endsWith(".run"))
                    .min(Path::compareTo)
                    .orElseThrow();
            byte[] bytes = Files.readAllBytes(run);
            bytes[60] ^= 1;
            Files.write(run, bytes);
        }
    }

    private static void assertShown(Ended ended, String line) {
        assertThat(ended.code()).isZero();
        assertThat(ended.error())
                .startsWith("\u001b[?7l" + WIPE)
                .containsPattern("(?m)^\u001b\\[K" + line)
                .endsWith(WIPE);
    }

    private static void assertSilent(Object... arguments) {
        Ended ended =
                CommandRun.inPipe().with(new Hurrying(), LockSupport::parkNanos).run(arguments);
        assertThat(ended.code()).isZero();
        assertThat(ended.error()).isEmpty();
    }

    @Test
    void commandsOnADirectoryShowBytes() throws IOException {
        Path data = store();
        String bytes = ": [0-9.]+ [KM]?i?B of [0-9.]+ KiB, [0-9.]+ [KM]?i?B/s, [0-9]+ s left";
        Path copy = temp.resolve("copy");
        assertShown(terminal().run("verify", data), "verify" + bytes);
        assertShown(terminal().run("backup", data, copy), "backup" + bytes);
        assertShown(terminal().run("restore", copy, temp.resolve("new")), "restore" + bytes);
        assertSilent("verify", data);
        assertSilent("backup", data, temp.resolve("copy2"));
        assertSilent("restore", copy, temp.resolve("new2"));
        damageARun(data);
        damageARun(temp.resolve("new"));
        assertShown(terminal().run("recover", "--quarantine", data), "recover" + bytes);
        assertSilent("recover", "--quarantine", temp.resolve("new"));
    }

    @Test
    void exportShowsTimersAndImportBytes() throws IOException {
        Path data = store();
        Path file = temp.resolve("timers.ndjson");
        assertShown(terminal().run("export", data, "--to", file), "export: 300 timers, [0-9]+/s");
        assertSilent("export", data, "--to", temp.resolve("again"));
        long size = Files.size(file);
        String all = String.format(java.util.Locale.ROOT, "%.1f KiB", size / 1_024.0);
        assertShown(
                terminal().run("import", temp.resolve("other"), "--from", file),
                "import: " + all + " of " + all + ", [0-9.]+ KiB/s, 0 s left");
        assertSilent("import", temp.resolve("another"), "--from", file);
    }

    @Test
    void refusedLinesOfAnImportStandAlone() throws IOException {
        Path file = Files.writeString(temp.resolve("lines"), "{}\n\n{}\n");
        Ended ended = terminal().run("import", temp.resolve("data"), "--from", file);
        assertThat(ended.code()).isEqualTo(65);
        assertThat(ended.error())
                .containsPattern(WIPE.replace("[", "\\[") + "line 1: .*\\R")
                .contains(WIPE + "line 3: ");
    }

    @Test
    void bulkRunShowsTimersAndTheTimeLeftOfAWholeQueue() {
        try (RunningServer server = new RunningServer(temp.resolve("served"))) {
            for (int i = 0; i < 5; i++) {
                server.put("q", "k" + i, "{\"delay\":\"1h\"}");
            }
            Ended ended = CommandRun.on("http://127.0.0.1:" + server.port())
                    .onTerminal()
                    .with(new Hurrying(), LockSupport::parkNanos)
                    .run("timers", "cancel-all", "q");
            assertThat(ended.code()).isZero();
            assertThat(ended.error())
                    .startsWith("cancel-all: bulk run ")
                    .contains(WIPE + "cancel-all: 5 of 5 timers, ")
                    .endsWith(WIPE);
        }
    }
}
