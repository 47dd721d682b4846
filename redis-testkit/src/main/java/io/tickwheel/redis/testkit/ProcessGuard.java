package io.tickwheel.redis.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sees to it that no server outlives this JVM. At an orderly exit a hook closes those that are open, with their
 * directories. A JVM that is killed runs no hook: for that case a shell knows the processes, and kills them when the pipe
 * from the JVM ends. Thread-safe.
 */
final class ProcessGuard {

    /** Reads lines {@code + pid} and {@code - pid}. */
    private static final String SHELL = """
            trap '' INT TERM HUP
            pids=' '
            while read -r change pid; do
              case $change in
                +) pids="$pids$pid " ;;
                -) pids="${pids%% $pid *} ${pids#* $pid }" ;;
              esac
            done
            kill -9 $pids
            """;

    private static final Set<RedisServer> OPEN = ConcurrentHashMap.newKeySet();
    private static final OutputStream PIPE = startShell();

    static {
        closeOpenAtExit();
    }

    private ProcessGuard() {}

    private static OutputStream startShell() {
        try {
            return new ProcessBuilder("sh", "-c", SHELL)
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start()
                    .getOutputStream();
        } catch (IOException e) {
            throw new UncheckedIOException("no shell to guard the processes", e);
        }
    }

    @SuppressForbidden(reason = "a hook of the JVM is a thread")
    private static void closeOpenAtExit() {
        Runtime.getRuntime().addShutdownHook(new Thread(ProcessGuard::closeOpen, "close-redis"));
    }

    private static void closeOpen() {
        for (RedisServer open : OPEN) {
            try {
                open.close();
            } catch (RuntimeException unheard) {
                // Nobody listens any more, and the others are to be closed all the same.
            }
        }
    }

    /** From now on {@code server} is closed when this JVM exits. */
    static void opened(RedisServer server) {
        OPEN.add(server);
    }

    static void closed(RedisServer server) {
        OPEN.remove(server);
    }

    /** From now on the process is killed when this JVM ends, in whatever way. */
    static void started(Process process) {
        tell("+ " + process.pid() + "\n");
    }

    /** The process is no more, and its number may become another's. */
    static void ended(Process process) {
        tell("- " + process.pid() + "\n");
    }

    private static void tell(String line) {
        synchronized (PIPE) {
            try {
                PIPE.write(line.getBytes(StandardCharsets.US_ASCII));
                PIPE.flush();
            } catch (IOException e) {
                throw new UncheckedIOException("the shell that guards the processes is gone", e);
            }
        }
    }
}
