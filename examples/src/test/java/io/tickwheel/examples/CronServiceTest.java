package io.tickwheel.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class CronServiceTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Pattern RUN = Pattern.compile("tick runs for the (\\d+)\\. time: says tick");

    private final Timeline time = new Timeline();
    private final CronService service =
            new CronService(time.timers(), run -> time.note(run.name() + " " + run.number() + " " + run.task()));
    private final CronCommands commands = new CronCommands(service);

    @Test
    void definitionRunsAtItsTimes() {
        assertThat(carryOut("activate report 0 30 8 * * * writes a report")).isEqualTo("report is active");
        assertThat(time.after(Duration.ofMinutes(8 * 60 + 30).minusMillis(1))).isEmpty();
        assertThat(time.after(Duration.ofMillis(1))).containsExactly("report 1 writes a report");
        assertThat(time.after(Duration.ofDays(1))).containsExactly("report 2 writes a report");
    }

    @Test
    void pausedDefinitionRunsAgainWhenItIsResumed() {
        carryOut("activate a * * * * * * works");
        assertThat(time.after(SECOND.multipliedBy(2))).containsExactly("a 1 works", "a 2 works");
        assertThat(carryOut("pause a")).isEqualTo("a is paused");
        assertThat(carryOut("list"))
                .isEqualTo("a [cron * * * * * *; zone Z] works: paused, runs 2 completed, 1 completed");
        assertThat(time.after(SECOND.multipliedBy(10))).isEmpty();
        assertThat(carryOut("resume a")).isEqualTo("a is active");
        assertThat(time.after(SECOND)).containsExactly("a 3 works");
    }

    @Test
    void definitionsAreListedWithTheirNextTimesAndTheirRuns() {
        assertThat(carryOut("list")).isEqualTo("there are no definitions");
        carryOut("activate late 0 0 9 * * * works later");
        carryOut("activate early 0 0 8 * * * works");
        time.after(Duration.ofHours(8));
        assertThat(carryOut("list").lines())
                .containsExactly(
                        "late [cron 0 0 9 * * *; zone Z] works later: next at 2030-01-01T09:00:00Z, no runs",
                        "early [cron 0 0 8 * * *; zone Z] works: next at 2030-01-02T08:00:00Z, runs 1 completed");
    }

    @Test
    void removedDefinitionDoesNotRun() {
        carryOut("activate a * * * * * * works");
        assertThat(carryOut("remove a")).isEqualTo("a is removed");
        assertThat(time.after(Duration.ofDays(1))).isEmpty();
        assertThat(carryOut("list")).isEqualTo("there are no definitions");
        assertThat(List.of(carryOut("pause a"), carryOut("resume a"), carryOut("remove b")))
                .containsExactly("there is no a", "there is no a", "there is no b");
    }

    @Test
    void whatIsNoCommandIsAnsweredWithTheRule() {
        assertThat(carryOut("activate a 61 * * * * * works")).contains("61");
        assertThat(carryOut("activate a * * works")).contains("no command", "activate NAME");
        assertThat(carryOut("list")).isEqualTo("there are no definitions");
    }

    @Test
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void definitionsGoOnAfterAKill(@TempDir Path folder) throws IOException, InterruptedException {
        Process killed = start(folder);
        long last;
        try (PrintStream in = input(killed)) {
            in.println("activate tick * * * * * * says tick");
            last = awaitRun(killed.inputReader(), 2);
        } finally {
            killed.destroyForcibly().waitFor();
        }
        Process again = start(folder);
        try (PrintStream in = input(again);
                BufferedReader out = again.inputReader()) {
            assertThat(awaitRun(out, last + 1)).isGreaterThan(last);
            in.println("quit");
            assertThat(again.waitFor()).isZero();
        } finally {
            again.destroyForcibly();
        }
    }

    private String carryOut(String line) {
        return time.answer(commands.run(line));
    }

    private static Process start(Path folder) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Examples.class.getName(),
                        "cron-service",
                        folder.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static PrintStream input(Process process) {
        return new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /** Reads on until there is a run with that number or a higher one. */
    private static long awaitRun(BufferedReader out, long number) throws IOException {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            Matcher run = RUN.matcher(line);
            if (run.find() && Long.parseLong(run.group(1)) >= number) {
                return Long.parseLong(run.group(1));
            }
        }
        throw new AssertionError("the process has ended");
    }
}
