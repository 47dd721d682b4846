package io.tickwheel.server.audit;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.tickwheel.engine.Clock;
import io.tickwheel.server.LoggedEvents;
import io.tickwheel.server.access.Caller;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is in the file when the log is closed. */
final class AuditLogTest {

    private static final int LOGS = 20;

    /** Each has one line, on whose way to the file the close comes. */
    @Test
    void closeWaitsUntilAllLinesAreWritten(@TempDir Path directory) throws Exception {
        Vertx vertx = Vertx.vertx();
        try {
            for (int i = 0; i < LOGS; i++) {
                Path file = directory.resolve("audit-" + i + ".log");
                AuditLog log = new AuditLog(new AuditConfig(file, true, 1 << 20, 2), vertx, Clock.system());
                AuditEntry.Asked asked = new AuditEntry.Asked("PUT", "TIMER", "q", "k", List.of());
                log.add(new AuditEntry(0, Caller.ANYBODY, "127.0.0.1", asked, 201, "", null));
                log.close().get(60, TimeUnit.SECONDS);
                assertThat(lines(file)).as("log %s", i).isOne();
            }
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        }
    }

    /** A directory has the name that the full file is to get. */
    @Test
    void logThatCannotBeTurnedOverIsToldOnceUntilItIsAgain(@TempDir Path directory) throws Exception {
        Vertx vertx = Vertx.vertx();
        try (LoggedEvents events = new LoggedEvents()) {
            Path file = directory.resolve("audit.log");
            Path next = directory.resolve("audit.log.1");
            AuditLog log = new AuditLog(new AuditConfig(file, true, 10, 2), vertx, Clock.system());
            log.open("first");
            Files.createDirectories(next.resolve("taken"));
            log.open("second");
            log.open("third");
            assertThat(turns(events, Level.ERROR))
                    .singleElement()
                    .asString()
                    .startsWith("the audit log cannot be turned over, " + file + " gets larger than it should: ");
            assertThat(lines(file)).isEqualTo(3);
            Files.delete(next.resolve("taken"));
            Files.delete(next);
            log.open("fourth");
            log.open("fifth");
            assertThat(turns(events, Level.INFO)).hasSize(2).last().isEqualTo("the audit log is turned over again");
            assertThat(lines(file)).isOne();
            Files.delete(next);
            Files.createDirectories(next.resolve("taken"));
            log.open("sixth");
            assertThat(turns(events, Level.ERROR)).as("told anew").hasSize(2);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        }
    }

    private static List<String> turns(LoggedEvents events, Level least) {
        return events.messages(least).stream()
                .filter(message -> message.startsWith("the audit log") && message.contains("turned over"))
                .toList();
    }

    private static long lines(Path file) throws IOException {
        return Files.exists(file) ? Files.readAllLines(file).size() : 0;
    }
}
