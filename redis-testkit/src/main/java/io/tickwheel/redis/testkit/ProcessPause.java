package io.tickwheel.redis.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Holds processes and lets them go on, by signals; returns when Linux says that they stand, or run. */
final class ProcessPause {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private ProcessPause() {}

    static void pause(Process process) {
        signal(process, "STOP", true);
    }

    static void resume(Process process) {
        signal(process, "CONT", false);
    }

    private static void signal(Process process, String signal, boolean stopped) {
        try {
            Process shell = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid()).start();
            if (!Patience.ended(shell, LIMIT)
                    || shell.exitValue() != 0
                    || !Patience.tryUntil(LIMIT, () -> isStopped(process) == stopped)) {
                throw new IllegalStateException("SIG" + signal + " did not reach process " + process.pid());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isStopped(Process process) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            // The state follows the name, which is in parentheses.
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
        } catch (IOException e) {
            throw new UncheckedIOException("process " + process.pid() + " is gone", e);
        }
    }
}
