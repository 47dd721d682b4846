package io.tickwheel.server.cli;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.server.targets.InstalledTargets;
import io.tickwheel.server.wire.TargetKinds;
import io.tickwheel.store.file.FileTimerStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/** Commands as a shell runs them, and stores for those that work on a directory. */
public final class StoreCommands {

    private StoreCommands() {}

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

    /** A store with 300 timers in several files. */
    static Path filled(Path temp) {
        Path data = temp.resolve("data");
        try (Tickwheel timers = open(data)) {
            for (int i = 0; i < 300; i++) {
                timers.schedule("q", "k" + i, Duration.ofHours(1), new byte[100])
                        .join();
            }
        }
        return data;
    }

    static Tickwheel open(Path data) {
        return Tickwheel.open(FileTimerStore.in(data).withSegmentBytes(4_096).withCheckpointBytes(8_192));
    }

    /** The oldest: the newest may be left over from a checkpoint that the closing cut short. */
    static Path oldestRun(Path data) throws IOException {
        try (Stream<Path> files = Files.list(data.resolve("schedulelog"))) {
            return files.filter(file -> file.toString().endsWith(".run"))
                    .min(Path::compareTo)
                    .orElseThrow();
        }
    }

    static Path newestSegment(Path data) throws IOException {
        try (Stream<Path> files = Files.list(data.resolve("commitlog"))) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .max(Path::compareTo)
                    .orElseThrow();
        }
    }

    static void damage(Path file, int at) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[at] ^= 1;
        Files.write(file, bytes);
    }
}
