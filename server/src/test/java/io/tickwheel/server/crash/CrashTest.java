package io.tickwheel.server.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.crash.LedgerReport.Count;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The promises of the server, held against kill -9: nothing accepted is lost, nothing is early, what was answered
 * {@code CANCELLED} does not come, a replaced version does not come, and whatever comes twice is tied to a kill.
 *
 * <p>The short form runs in every build. The long form, of about four minutes:
 *
 * <pre>
 * mvn -pl server -am test -Dtest=CrashTest -Dtickwheel.crash.rounds=20 -Dtickwheel.crash.maxDelayMs=20000
 * </pre>
 *
 * {@link CrashSettings} has the other properties. {@code -Dtickwheel.crash.seed=N} repeats the choices of a run, though not
 * the timing of the machine. The output of the server is in {@code target/crash/server.log}.
 */
final class CrashTest {

    @Test
    void nothingAcceptedIsLostEarlyOrUndeadWhenTheServerIsKilled(
            @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws Exception {
        CrashSettings settings = CrashSettings.fromSystemProperties();
        Path log = Files.createDirectories(Path.of("target", "crash")).resolve("server.log");
        Files.deleteIfExists(log);
        try (CrashRun run = new CrashRun(settings, directory.resolve("data"), log)) {
            LedgerReport report = run.play();
            System.out.println("Crash test, " + run.circumstances());
            System.out.println("Crash test, " + report.summary());
            assertThat(run.faults()).isEmpty();
            assertThat(report.isClean()).as(() -> run.details(report)).isTrue();
            assertThat(report.number(Count.KILLS)).isGreaterThanOrEqualTo(settings.rounds());
            assertThat(report.number(Count.ACKED)).isGreaterThan(report.number(Count.TIMERS) / 2);
            assertThat(report.number(Count.CANCELLED)).isPositive();
            assertThat(report.number(Count.REPLACED)).isPositive();
            assertThat(report.number(Count.ARRIVALS)).isGreaterThan(report.number(Count.TIMERS) / 4);
        }
    }
}
