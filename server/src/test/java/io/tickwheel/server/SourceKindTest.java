package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.KindOption;
import io.tickwheel.engine.Source;
import io.tickwheel.engine.SourceKind;
import io.tickwheel.engine.SourceOptions;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.server.config.ConfigFile;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.server.targets.InstalledTargets;
import io.tickwheel.server.wire.TargetKinds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A source that the server does not know is added in one place, and schedules from the start of the engine to its end. */
final class SourceKindTest {

    private final LetterSourceKind letter = new LetterSourceKind();
    private final TargetKinds kinds = TargetKinds.of(InstalledTargets.kinds().all(), List.of(letter));

    @TempDir
    private Path temp;

    @Test
    void itSchedulesAndIsCountedAndClosedBeforeTheEngine() throws IOException {
        ServerConfig config = config("sources: {letter: {text: a}}", Map.of());
        try (RunningServer server = new RunningServer(config, kinds)) {
            assertThat(server.get("letters", "a").field("state")).isEqualTo("PENDING");
            assertThat(server.get("/readyz").status())
                    .as("other timers do not depend on it")
                    .isEqualTo(200);
            assertThat(server.get("/metrics").body())
                    .contains("tickwheel_source_messages_total{outcome=\"scheduled\",source=\"letter\"} 1.0")
                    .contains("tickwheel_source_messages_total{outcome=\"known\",source=\"letter\"} 2.0")
                    .contains("tickwheel_source_messages_total{outcome=\"refused\",source=\"letter\"} 3.0")
                    .contains("tickwheel_source_messages_total{outcome=\"postponed\",source=\"letter\"} 4.0")
                    .contains("tickwheel_source_ready{source=\"letter\"} 0.0");
        }
        assertThat(letter.events).containsExactly("opened", "closed");
    }

    @Test
    void oneWithoutASettingStaysClosed() throws IOException {
        try (RunningServer server = new RunningServer(config("", Map.of()), kinds)) {
            assertThat(server.get("letters", "a").status()).isEqualTo(404);
        }
        assertThat(letter.events).isEmpty();
    }

    @Test
    void settingsThatBreakItsRulesEndTheStartAndFreeTheStore() throws IOException {
        ServerConfig broken = config("sources: {letter: {text: ''}}", Map.of("TICKWHEEL_SOURCES_LETTER_TEXT", ""));
        assertThatThrownBy(() -> new RunningServer(broken, kinds).close())
                .hasMessageContaining("cannot open sources.letter.text: must not be empty");
        try (RunningServer server = new RunningServer(config("", Map.of()), kinds)) {
            assertThat(server.get("/readyz").status()).isEqualTo(200);
        }
        assertThatThrownBy(() -> config("sources: {letter: {txt: a}}", Map.of()))
                .hasMessageContaining("did you mean sources.letter.text?");
    }

    @Test
    void oneThatCannotBeOpenedClosesThoseBeforeIt() throws IOException {
        TargetKinds both = TargetKinds.of(InstalledTargets.kinds().all(), List.of(letter, new NoSourceKind()));
        ServerConfig config = config("sources: {letter: {text: a}, none: {word: b}}", Map.of(), both);
        assertThatThrownBy(() -> new RunningServer(config, both).close())
                .hasMessageContaining("cannot open sources.none.word: must be another one");
        assertThat(letter.events).containsExactly("opened", "closed");
    }

    @Test
    void twoOfOneNameAreRefused() {
        assertThatThrownBy(() -> TargetKinds.of(kinds.all(), List.of(letter, new LetterSourceKind())))
                .hasMessageContaining("must have a name of its own");
    }

    @Test
    void brokerThatIsAwayFromTheStartIsLogged() throws IOException {
        String away = "sources: {rabbitmq: {host: 127.0.0.1, port: 1, exchanges: a=b}}";
        try (LoggedEvents events = new LoggedEvents();
                RunningServer server =
                        new RunningServer(config(away, Map.of(), InstalledTargets.kinds()), InstalledTargets.kinds())) {
            events.await("takes no messages in: the broker 127.0.0.1:1 is away: ");
            assertThat(server.get("/metrics").body()).contains("tickwheel_source_ready{source=\"rabbitmq\"} 0.0");
        }
    }

    private ServerConfig config(String sources, Map<String, String> environment) throws IOException {
        return config(sources, environment, kinds);
    }

    private ServerConfig config(String sources, Map<String, String> environment, TargetKinds kinds) throws IOException {
        String yaml = "server: {port: 0}\nstore: {file: {directory: " + temp.resolve("data") + "}}\n" + sources;
        return ConfigFile.read(Files.writeString(temp.resolve("tickwheel.yaml"), yaml), environment, kinds);
    }

    /** One that no option pleases. */
    private static final class NoSourceKind implements SourceKind {

        @Override
        public String name() {
            return "none";
        }

        @Override
        public List<KindOption> options() {
            return List.of(KindOption.of("word", "text"));
        }

        @Override
        public Source open(SourceOptions options, Tickwheel timers) {
            throw new InvalidTargetException(InvalidTargetException.INVALID_TARGET, "word", "must be another one");
        }
    }
}
