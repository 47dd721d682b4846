package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.TimerView;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** A JVM of its own with a small heap, which opens a store and does with it what it is told, a line at a time. */
final class OtherProcess implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 60;

    private final Process process;
    private final PrintStream in;
    private final BufferedReader out;

    OtherProcess() throws IOException {
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx40m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        OtherProcess.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        in = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        out = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Sends a line, and returns the line that comes back. */
    String tell(String command) {
        in.println(command);
        return answer();
    }

    String answer() {
        try {
            String line = out.readLine();
            assertThat(line).as("the other process ended").isNotNull();
            return line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void open(Path directory) {
        assertThat(tell("open " + directory)).isEqualTo("done");
    }

    /** Schedules timers without end, each once the one before is answered, and tells of each that was. */
    void scheduleWithoutEnd(String prefix) {
        in.println("go " + prefix);
    }

    void pause() throws IOException {
        signal("STOP");
    }

    void resume() throws IOException {
        signal("CONT");
    }

    private void signal(String name) throws IOException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        assertThat(kill.onExit().join().exitValue()).as("kill -%s", name).isZero();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        try {
            assertThat(process.onExit()
                            .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                            .join()
                            .isAlive())
                    .isFalse();
        } finally {
            in.close();
            out.close();
        }
    }

    // ---- in the other process

    private Tickwheel timers;

    private OtherProcess(BufferedReader commands, PrintStream answers) {
        this.process = null;
        this.in = answers;
        this.out = commands;
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        new OtherProcess(commands, answers).obey();
    }

    private void obey() throws IOException {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            String[] words = line.split(" ", 2);
            try {
                in.println(obey(words[0], words.length == 1 ? "" : words[1]));
            } catch (StoreException | CompletionException e) {
                in.println(text(e));
            }
        }
    }

    private static String text(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause.getClass().getSimpleName() + ": " + cause.getMessage();
    }

    private String obey(String command, String argument) {
        switch (command) {
            case "open" -> timers = Tickwheel.open(store(Path.of(argument)));
            case "schedule" -> schedule(timers, argument);
            case "find" -> {
                return find(timers, argument);
            }
            case "go" -> {
                for (int i = 0; ; i++) {
                    schedule(timers, argument + i);
                    in.println(argument + i);
                }
            }
            case "verify" -> {
                return StoreDirectory.at(Path.of(argument)).verify().damages().toString();
            }
            case "close" -> timers.close();
            default -> throw new IllegalArgumentException(command);
        }
        return "done";
    }

    // ---- in both

    static FileTimerStore store(Path directory) {
        return FileTimerStore.in(directory).withSegmentBytes(8_192).withCheckpointBytes(16_384);
    }

    static void schedule(Tickwheel timers, String key) {
        timers.schedule("q", key, Duration.ofHours(1), new byte[200]).join();
    }

    static String find(Tickwheel timers, String key) {
        Optional<TimerView> found = timers.find("q", key).join();
        return found.map(TimerView::state).map(TimerState::name).orElse("NONE");
    }

    /** Those that are not live. */
    static List<String> missing(Tickwheel timers, List<String> keys) {
        List<String> missing = new ArrayList<>(keys);
        missing.removeIf(key -> find(timers, key).equals("PENDING"));
        return missing;
    }
}
