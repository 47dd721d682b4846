package io.tickwheel.server.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.engine.Clock;
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

    private static long lines(Path file) throws IOException {
        return Files.exists(file) ? Files.readAllLines(file).size() : 0;
    }
}
