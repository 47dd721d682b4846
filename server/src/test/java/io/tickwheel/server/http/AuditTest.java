package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.server.LoggedEvents;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.audit.AuditConfig;
import io.tickwheel.server.config.EdgeConfig;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.server.config.StartException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who did what is written, once, and nothing else is. */
final class AuditTest {

    private static final String LATER = "{\"dueAt\":\"2100-01-01T00:00:00Z\",\"payload\":\"canary\"}";

    @TempDir
    private Path directory;

    private Tokened api;

    private Path file() {
        return directory.resolve("audit.log");
    }

    private ServerConfig config(boolean allChanges, long fileBytes, int files) {
        ServerConfig config = Tokened.asking(ServerConfig.of("127.0.0.1", 0, directory.resolve("data")));
        AuditConfig audit = new AuditConfig(file(), allChanges, fileBytes, files);
        return config.withEdge(new EdgeConfig(config.edge().admin(), false, null, false, false, audit));
    }

    private void start(boolean allChanges) {
        api = new Tokened(new RunningServer(config(allChanges, 1 << 20, 3)));
    }

    @AfterEach
    void stop() {
        if (api != null) {
            api.server().close();
        }
    }

    private List<String> lines(int count) {
        return Patience.look(this::lines, lines -> lines.size() >= count);
    }

    private List<String> lines() {
        try {
            return Files.readAllLines(file());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void eachActionOfAnAdministratorIsOneLineAlsoWhenItIsRefused() throws IOException {
        start(false);
        Tokened.Made reader = api.make("\"scopes\":[\"read\",\"schedule\"]");
        assertThat(api.admin("POST", "/v1/queues/q/pause", null).status()).isEqualTo(200);
        assertThat(api.call(reader.text(), "POST", "/v1/queues/q/resume", null).status())
                .isEqualTo(403);
        assertThat(api.admin("PATCH", "/v1/queues/q", "{\"canary\":1}").status())
                .isEqualTo(400);
        String run = api.admin("POST", "/v1/queues/q/timers:cancel?dryRun=true", null)
                .location();
        api.admin("DELETE", "/v1/tokens/" + reader.id(), null);
        // What is none of an administrator's, changes nothing, or is by nobody.
        api.admin("PUT", "/v1/queues/q/timers/k", LATER);
        api.admin("GET", "/v1/tokens", null);
        api.call("canary", "POST", "/v1/queues/q/pause", null);
        api.call(null, "POST", "/v1/queues/q/pause", null);
        api.admin("DELETE", "/v1/bulk/none", null);

        List<String> lines = lines(7);
        assertThat(lines).hasSize(7);
        assertThat(lines.get(0))
                .contains("\"action\":\"TOKENS\"", "\"subject\":\"" + reader.id() + "\"", "\"status\":201")
                .startsWith("{\"time\":\"20")
                .contains("\"token\":\"" + Tokened.ADMIN.id() + "\",\"name\":\"configured\",\"address\":\"127.0.0.1\"");
        assertThat(lines.get(1)).contains("\"method\":\"POST\",\"action\":\"PAUSE\",\"queue\":\"q\",\"status\":200}");
        assertThat(lines.get(2))
                .contains(
                        "\"token\":\"" + reader.id() + "\"",
                        "\"action\":\"RESUME\"",
                        "\"status\":403",
                        "\"code\":\"forbidden\"");
        assertThat(lines.get(3)).contains("\"method\":\"PATCH\"", "\"status\":400", "\"code\":\"unknown_field\"");
        assertThat(lines.get(4))
                .contains(
                        "\"action\":\"CANCEL_ALL\"", "\"subject\":\"" + run.substring(run.lastIndexOf('/') + 1) + "\"");
        assertThat(lines.get(5)).contains("\"action\":\"TOKEN\"", "\"subject\":\"" + reader.id() + "\"");
        assertThat(lines.get(6)).contains("\"action\":\"BULK_RUN\"", "\"subject\":\"none\"", "\"status\":404");
        assertThat(String.join("", lines)).doesNotContain("canary", reader.text(), Tokened.ADMIN.reveal());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
    }

    @Test
    void allChangesAreLinesWhereThatIsAskedFor() {
        start(true);
        api.admin("PUT", "/v1/queues/q/timers/a%0A%22b", LATER);
        api.admin("GET", "/v1/queues/q/timers/a%0A%22b", null);
        api.admin("DELETE", "/v1/queues/q/timers/none", null);
        List<String> lines = lines(2);
        api.server().close();
        assertThat(lines()).hasSize(2).isEqualTo(lines);
        assertThat(lines.get(0)).contains("\"method\":\"PUT\"", "\"subject\":\"a\\n\\\"b\"", "\"status\":422");
        assertThat(lines.get(1)).contains("\"subject\":\"none\"", "\"status\":404", "\"code\":\"not_found\"");
    }

    @Test
    void filesAreTurnedOverAndNoLineIsLost() throws IOException {
        api = new Tokened(new RunningServer(config(true, 4_096, 3)));
        for (int i = 0; i < 40; i++) {
            api.admin("PUT", "/v1/queues/q/timers/k" + i, LATER);
        }
        api.server().close();
        List<String> all = new ArrayList<>();
        for (String name : List.of("audit.log.2", "audit.log.1", "audit.log")) {
            Path each = directory.resolve(name);
            if (Files.exists(each)) {
                assertThat(Files.size(each)).isBetween(1L, 4_096L);
                all.addAll(Files.readAllLines(each));
            }
        }
        assertThat(all).hasSize(40);
        for (int i = 0; i < 40; i++) {
            assertThat(all.get(i)).contains("\"subject\":\"k" + i + "\"");
        }
        api = new Tokened(new RunningServer(config(true, 4_096, 3)));
        for (int i = 0; i < 60; i++) {
            api.admin("PUT", "/v1/queues/q/timers/k" + i, LATER);
        }
        api.server().close();
        assertThat(Files.readAllLines(file())).last().asString().contains("k59");
        assertThat(directory.resolve("audit.log.2")).exists();
        assertThat(directory.resolve("audit.log.3")).doesNotExist();
    }

    @Test
    void linesThatCannotBeWrittenAreTriedAgain() throws IOException {
        Path folder = Files.createDirectory(directory.resolve("folder"));
        ServerConfig config = Tokened.asking(ServerConfig.of("127.0.0.1", 0, directory.resolve("data")));
        AuditConfig audit = new AuditConfig(folder.resolve("audit.log"), true, 1 << 20, 3);
        EdgeConfig edge = new EdgeConfig(config.edge().admin(), false, null, false, false, audit);
        api = new Tokened(new RunningServer(config.withEdge(edge)));
        try (LoggedEvents logged = new LoggedEvents()) {
            Files.delete(audit.file());
            Files.delete(folder);
            assertThat(api.admin("PUT", "/v1/queues/q/timers/one", LATER).status())
                    .isEqualTo(201);
            logged.await("the audit log cannot be written");
            assertThat(api.admin("PUT", "/v1/queues/q/timers/two", LATER).status())
                    .isEqualTo(201);
            Files.createDirectory(folder);
            logged.await("the audit log is written again");
            assertThat(logged.messages(Level.ERROR)).hasSize(1);
        }
        api.server().close();
        List<String> lines = Files.readAllLines(audit.file());
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0)).contains("\"subject\":\"one\"");
        assertThat(lines.get(1)).contains("\"subject\":\"two\"");
    }

    @Test
    void aFileThatCannotBeWrittenEndsTheStart() throws IOException {
        Files.createDirectory(file());
        assertThatThrownBy(() -> start(false))
                .hasCauseInstanceOf(StartException.class)
                .hasMessageContaining("audit.log");
    }
}
