package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.server.config.ConfigFile;
import io.tickwheel.server.config.EdgeConfig;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.server.config.StartException;
import io.tickwheel.server.http.Tokened;
import io.tickwheel.server.targets.InstalledTargets;
import io.tickwheel.server.wire.TargetKinds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start that is refused, because the store keeps tokens and nobody would be asked for one, has done nothing. */
final class RefusedStartTest {

    private static final int TIMERS = 20;
    private static final int STARTS = 10;
    private static final String ADMIN = "Bearer " + Tokened.ADMIN.reveal();

    @TempDir
    private Path temp;

    private final SteppedClock clock = new SteppedClock();
    private final LetterSourceKind letter = new LetterSourceKind();
    private final TargetKinds kinds = TargetKinds.of(InstalledTargets.kinds().all(), List.of(letter));
    private ServerConfig open;
    private ServerConfig asking;

    @BeforeEach
    void configure() throws IOException {
        Path file = Files.writeString(
                temp.resolve("tickwheel.yaml"),
                "server: {port: 0}\nstore: {file: {directory: " + temp.resolve("data")
                        + "}}\nsources: {letter: {text: a}}");
        open = ConfigFile.read(file, Map.of(), kinds);
        asking = Tokened.asking(open);
    }

    private static void makeToken(RunningServer server) {
        String wish = "{\"name\":\"made\",\"scopes\":[\"read\"]}";
        RunningServer.Reply made = server.send("POST", "/v1/tokens", RunningServer.JSON, wish, "Authorization", ADMIN);
        assertThat(made.status()).as(made.body()).isEqualTo(201);
    }

    @Test
    void nothingIsDeliveredAndNoAttemptLost() throws InterruptedException {
        ServerConfig refused = ServerConfig.of("127.0.0.1", 0, temp.resolve("timers"));
        try (Receiver receiver = new Receiver()) {
            try (RunningServer server = new RunningServer(Tokened.asking(refused), clock)) {
                makeToken(server);
                for (int i = 0; i < TIMERS; i++) {
                    String body = "{\"delay\":\"1h\",\"target\":{\"url\":\"" + receiver.url("/" + i) + "\"}}";
                    RunningServer.Reply put = server.send(
                            "PUT", RunningServer.timer("q", "k" + i), RunningServer.JSON, body, "Authorization", ADMIN);
                    assertThat(put.status()).as(put.body()).isEqualTo(201);
                }
            }
            clock.step(Duration.ofHours(2));
            for (int i = 0; i < STARTS; i++) {
                assertThatThrownBy(() -> new RunningServer(refused, clock).close())
                        .hasRootCauseInstanceOf(StartException.class)
                        .hasMessageContaining("access.admin");
            }
            assertThat(receiver.waiting()).as("what came of refused starts").isZero();
            try (RunningServer server = new RunningServer(Tokened.asking(refused), clock)) {
                Set<String> delivered = new TreeSet<>();
                for (int i = 0; i < TIMERS; i++) {
                    Receiver.Arrival arrival = receiver.next();
                    assertThat(arrival.headers()).containsEntry("Tickwheel-Attempt", "1");
                    delivered.add(arrival.uri());
                }
                assertThat(delivered).hasSize(TIMERS);
                assertThat(server.get("/readyz").status()).isEqualTo(200);
            }
        }
    }

    @Test
    void noSourceIsOpened() {
        try (RunningServer server = new RunningServer(asking, kinds)) {
            makeToken(server);
        }
        assertThat(letter.events).containsExactly("opened", "closed");
        assertThatThrownBy(() -> new RunningServer(open, kinds).close()).hasMessageContaining("access.admin");
        assertThat(letter.events).containsExactly("opened", "closed");
        EdgeConfig insecure = new EdgeConfig(null, false, null, false, true, null);
        new RunningServer(open.withEdge(insecure), kinds).close();
        assertThat(letter.events).containsExactly("opened", "closed", "opened", "closed");
    }
}
