package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Level;
import io.tickwheel.redis.testkit.Patience;
import io.tickwheel.server.LoggedEvents;
import io.tickwheel.server.RunningServer;
import io.tickwheel.server.SteppedClock;
import io.tickwheel.server.audit.AuditConfig;
import io.tickwheel.server.config.EdgeConfig;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.server.config.StartException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
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
        return Patience.look(() -> calls(file()), lines -> lines.size() >= count);
    }

    /** The lines of calls: all but those that say that a server starts. */
    private static List<String> calls(Path file) {
        return read(file).stream()
                .filter(line -> !line.contains("\"action\":\"START\""))
                .toList();
    }

    /** But for what is there of a line that is just being written. */
    private static List<String> read(Path file) {
        try {
            String text = Files.readString(file);
            return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
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
    void anAddressThatSomebodySaysHeHasIsInNoLine() {
        start(false);
        assertThat(api.server()
                        .send(
                                "POST",
                                "/v1/queues/q/pause",
                                null,
                                null,
                                "Authorization",
                                "Bearer " + Tokened.ADMIN.reveal(),
                                "X-Forwarded-For",
                                "192.0.2.7")
                        .status())
                .isEqualTo(200);
        assertThat(lines(1).get(0))
                .contains("\"address\":\"127.0.0.1\"", "\"action\":\"PAUSE\"")
                .doesNotContain("192.0.2.7");
    }

    @Test
    void aCallWhoseCallerIsGoneBeforeItsAnswerIsALine() throws IOException {
        start(true);
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), api.server().port())) {
            String body = "{\"wait\":\"60s\"}";
            socket.getOutputStream()
                    .write(("POST /v1/queues/left/leases HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                                    + Tokened.ADMIN.reveal() + "\r\nContent-Type: application/json\r\n"
                                    + "Content-Length: " + body.length() + "\r\n\r\n" + body)
                            .getBytes(StandardCharsets.US_ASCII));
            // The poll of the socket is the first in the line by the time this one is answered.
            assertThat(api.admin("POST", "/v1/queues/left/leases", "{\"wait\":\"100ms\"}")
                            .status())
                    .isEqualTo(200);
        }
        assertThat(lines(2)).hasSize(2).allMatch(line -> line.contains("\"action\":\"LEASES\",\"queue\":\"left\""));
    }

    @Test
    void aCallBeyondTheRateOfItsTokenIsALine() {
        start(true);
        Tokened.Made slow = api.make("\"scopes\":[\"schedule\"],\"rate\":{\"perSecond\":0.001,\"burst\":1}");
        assertThat(api.call(slow.text(), "PUT", "/v1/queues/q/timers/a", LATER).status())
                .isEqualTo(201);
        assertThat(api.call(slow.text(), "PUT", "/v1/queues/q/timers/b", LATER).status())
                .isEqualTo(429);
        List<String> lines = lines(3);
        assertThat(lines).hasSize(3);
        assertThat(lines.get(2))
                .contains(
                        "\"token\":\"" + slow.id() + "\"",
                        "\"subject\":\"b\"",
                        "\"status\":429",
                        "\"code\":\"too_many_calls\"");
    }

    @Test
    void allChangesAreLinesWhereThatIsAskedFor() {
        start(true);
        api.admin("PUT", "/v1/queues/q/timers/a%0A%22b", LATER);
        api.admin("GET", "/v1/queues/q/timers/a%0A%22b", null);
        api.admin("DELETE", "/v1/queues/q/timers/none", null);
        List<String> lines = lines(2);
        api.server().close();
        assertThat(calls(file())).hasSize(2).isEqualTo(lines);
        assertThat(lines.get(0))
                .contains("\"method\":\"PUT\"", "\"queue\":\"q\",\"invalid\":[\"subject\"],\"status\":422");
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
                all.addAll(calls(each));
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
        List<String> lines = calls(audit.file());
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

    @Test
    void aFileOnAFullDiskEndsTheStart() throws IOException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full), "there is no device that is full");
        Files.createSymbolicLink(file(), full);
        assertThatThrownBy(() -> start(false))
                .hasCauseInstanceOf(StartException.class)
                .hasMessageContaining("cannot write the audit log");
    }

    @Test
    void aStartIsALineToo() {
        start(false);
        assertThat(read(file())).hasSize(1).first().asString().contains("\"action\":\"START\",\"version\":\"");
    }

    @Test
    void aStopSaysHowManyLinesAreLost() throws IOException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full), "there is no device that is full");
        start(true);
        try (LoggedEvents logged = new LoggedEvents()) {
            Files.delete(file());
            Files.createSymbolicLink(file(), full);
            for (int i = 0; i < 7; i++) {
                api.admin("PUT", "/v1/queues/q/timers/k" + i, LATER);
            }
            logged.await("the audit log cannot be written, it is tried again");
            api.server().close();
            assertThat(logged.messages(Level.ERROR))
                    .anyMatch(message -> message.contains("the server stops, lines that are lost: 7;"));
        }
    }

    @Test
    void aStopWritesOnceMoreWhatWaits() throws IOException {
        start(true);
        Path away = directory.resolve("away");
        try (LoggedEvents logged = new LoggedEvents()) {
            Files.move(file(), away);
            Files.createDirectory(file());
            api.admin("PUT", "/v1/queues/q/timers/k", LATER);
            logged.await("the audit log cannot be written, it is tried again");
            Files.delete(file());
            api.server().close();
            assertThat(logged.messages(Level.ERROR)).hasSize(1);
        }
        assertThat(calls(file())).hasSize(1).first().asString().contains("\"subject\":\"k\"");
    }

    @Test
    void itGoesOnInTheFileThatHasTheNameNow() throws IOException {
        start(true);
        api.admin("PUT", "/v1/queues/q/timers/first", LATER);
        assertThat(lines(1)).hasSize(1);
        Path rotated = directory.resolve("rotated");
        Files.move(file(), rotated);
        Files.createFile(file());
        api.admin("PUT", "/v1/queues/q/timers/second", LATER);
        assertThat(lines(1)).hasSize(1).first().asString().contains("\"subject\":\"second\"");
        assertThat(calls(rotated)).hasSize(1);
        Files.delete(rotated);
        api.admin("PUT", "/v1/queues/q/timers/third", LATER);
        assertThat(lines(2)).hasSize(2).last().asString().contains("\"subject\":\"third\"");
    }

    @Test
    void aCallerWhoIsRefusedDoesNotPushOutWhatOthersDid() throws IOException {
        SteppedClock clock = new SteppedClock();
        api = new Tokened(new RunningServer(config(false, 16 << 10, 2), clock));
        Tokened.Made reader = api.make("\"scopes\":[\"read\"],\"queuePrefix\":\"none\"");
        Tokened.Made other = api.make("\"scopes\":[\"read\"]");
        api.admin("POST", "/v1/queues/q/pause", null);
        String longName = "%01".repeat(2_600);
        for (int i = 0; i < 150; i++) {
            assertThat(api.call(reader.text(), "POST", "/v1/queues/" + longName + "/pause", null)
                            .status())
                    .isEqualTo(403);
        }
        api.call(other.text(), "POST", "/v1/queues/q/pause", null);
        for (int i = 0; i < 30; i++) {
            api.admin("POST", "/v1/queues/q/pause", null);
        }
        clock.step(Duration.ofMinutes(1));
        List<String> lines = lines(3 + 20 + 1 + 30 + 1);
        assertThat(lines).hasSize(3 + 20 + 1 + 30 + 1).allMatch(line -> line.length() < 300);
        assertThat(lines.get(2))
                .contains("\"name\":\"configured\"", "\"action\":\"PAUSE\",\"queue\":\"q\",\"status\":200");
        assertThat(lines.get(3))
                .contains("\"token\":\"" + reader.id(), "\"action\":\"PAUSE\",\"invalid\":[\"queue\"],\"status\":403");
        assertThat(lines.get(23)).contains("\"token\":\"" + other.id(), "\"queue\":\"q\",\"status\":403");
        assertThat(lines.get(54))
                .contains("\"token\":\"" + reader.id(), "\"action\":\"REFUSED\",\"since\":\"", "\"notWritten\":130}");
        // The next minute is a new one, and the rest of the last one is written by a stop.
        for (int i = 0; i < 21; i++) {
            api.call(reader.text(), "POST", "/v1/queues/q/resume", null);
        }
        clock.step(Duration.ofMinutes(1));
        assertThat(lines(55 + 20 + 1)).hasSize(55 + 20 + 1).last().asString().contains("\"notWritten\":1}");
        for (int i = 0; i < 22; i++) {
            api.call(reader.text(), "POST", "/v1/queues/q/resume", null);
        }
        api.server().close();
        assertThat(calls(file())).last().asString().contains("\"notWritten\":2}");
    }

    @Test
    void namesAreAsLongAsTheyMayBeAndNoLonger() {
        start(true);
        String queue = "q".repeat(128);
        String key = "k".repeat(512);
        api.admin("DELETE", "/v1/queues/" + queue + "/timers/" + key, null);
        api.admin("DELETE", "/v1/queues/" + queue + "q/timers/" + key + "k", null);
        api.admin("DELETE", "/v1/queues/q/timers/plan/runs/17", null);
        api.admin("DELETE", "/v1/tokens/" + "t".repeat(1_025), null);
        api.admin("POST", "/v1/leases/no%0Aid/ack", null);
        List<String> lines = lines(5);
        assertThat(lines.get(0)).contains("\"queue\":\"" + queue + "\",\"subject\":\"" + key + "\",\"status\"");
        assertThat(lines.get(1)).contains("\"TIMER\",\"invalid\":[\"queue\",\"subject\"],\"status\"");
        assertThat(lines.get(2)).contains("\"subject\":\"plan\\u001f17\",\"status\"");
        assertThat(lines.get(3)).contains("\"TOKEN\",\"invalid\":[\"subject\"],\"status\"");
        assertThat(lines.get(4)).contains("\"ACK\",\"invalid\":[\"subject\"],\"status\"");
    }

    @Test
    void aCallOfSeveralPartsSaysHowManyWereDone() {
        start(true);
        Tokened.Made mine = api.make("\"scopes\":[\"pull\"],\"queuePrefix\":\"mine\"");
        String foreign = leased("theirs");
        String own = leased("mine");
        assertThat(bury(mine, foreign).status()).isEqualTo(200);
        assertThat(bury(mine, foreign + "\",\"" + own).status()).isEqualTo(200);
        api.admin(
                "POST",
                "/v1/queues/q/timers:batch",
                "{\"key\":\"a\",\"delay\":\"1h\"}\n{\"key\":\"b\"}\n{\"cancel\":\"a\"}\n");
        List<String> lines = lines(8).subList(5, 8);
        assertThat(lines.get(0))
                .contains("\"token\":\"" + mine.id())
                .endsWith("\"action\":\"BURY_MANY\",\"status\":200,\"done\":0,\"refused\":1,\"queues\":[\"theirs\"]}");
        assertThat(lines.get(1)).endsWith("\"done\":1,\"refused\":1,\"queues\":[\"theirs\",\"mine\"]}");
        assertThat(lines.get(2))
                .endsWith("\"action\":\"BATCH\",\"queue\":\"q\",\"status\":200,\"done\":2,\"refused\":1}");
    }

    private String leased(String queue) {
        api.admin("PUT", "/v1/queues/" + queue + "/timers/k", "{\"delay\":\"0s\"}");
        return api.admin("POST", "/v1/queues/" + queue + "/leases", "{\"wait\":\"20s\"}")
                .field("lease");
    }

    private RunningServer.Reply bury(Tokened.Made who, String leases) {
        return api.call(who.text(), "POST", "/v1/leases:bury", "{\"leases\":[\"" + leases + "\"]}");
    }

    @Test
    void aTimerWithoutAKeyIsNamedByTheOneThatWasMade() {
        start(true);
        RunningServer.Reply made = api.admin("POST", "/v1/queues/q/timers", LATER);
        RunningServer.Reply once = api.server()
                .post("q", LATER, "Idempotency-Key", "first", "Authorization", "Bearer " + Tokened.ADMIN.reveal());
        List<String> lines = lines(2);
        assertThat(lines.get(0)).contains("\"subject\":\"" + made.field("key") + "\",\"status\":201");
        assertThat(lines.get(1)).contains("\"subject\":\"" + once.field("key") + "\",\"status\":201");
        assertThat(once.field("key")).startsWith("idem-");
    }
}
