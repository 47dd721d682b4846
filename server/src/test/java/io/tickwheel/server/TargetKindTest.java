package io.tickwheel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.TargetKind;
import io.tickwheel.server.RunningServer.Reply;
import io.tickwheel.server.cli.Ended;
import io.tickwheel.server.cli.StoreCommands;
import io.tickwheel.server.config.ConfigFile;
import io.tickwheel.server.config.ServerConfig;
import io.tickwheel.server.targets.InstalledTargets;
import io.tickwheel.server.wire.TargetKinds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A target that the server does not know is added in one place, and is then a target like the others. */
final class TargetKindTest {

    private static final String NEVER = "\"dueAt\":\"2090-01-01T00:00:00Z\"";

    private final MemoTargetKind memo = new MemoTargetKind();
    private final TargetKinds kinds = with(memo);

    @TempDir
    private Path temp;

    /** With those of the server itself, whatever else is on the class path. */
    private static TargetKinds with(TargetKind kind) {
        List<TargetKind> kinds = new ArrayList<>(InstalledTargets.kinds().all().subList(0, 2));
        kinds.add(kind);
        return TargetKinds.of(kinds);
    }

    @Test
    void itsTimersAreScheduledDeliveredListedExportedAndImported() throws Exception {
        Path data = temp.resolve("data");
        try (RunningServer server = new RunningServer(ServerConfig.of("127.0.0.1", 0, data), kinds)) {
            assertThat(memo.open).hasValue(1);
            server.put("q", "now", "{\"delay\":\"0s\",\"target\":{\"memo\":{\"box\":\"in\",\"copies\":2}}}");
            assertThat(next()).isEqualTo("blue 2/in: now");
            server.await("q", "now", found -> found.field("state").equals("COMPLETED"));
            server.batch("q", "{\"key\":\"later\"," + NEVER + ",\"target\":{\"memo\":{\"box\":\"b \\\"1\\\"\"}}}");
            assertThat(server.get("/v1/queues/q/timers").field("key")).isEqualTo("later");
        }
        assertThat(memo.open).hasValue(0);
        Path file = temp.resolve("export");
        assertThat(run("export", data, "--to", file).code()).isZero();
        assertThat(Files.readString(file)).contains("\"target\":{\"memo\":{\"box\":\"b \\\"1\\\"\",\"copies\":1}}");

        Path other = temp.resolve("other");
        Ended imported = run("import", other, "--from", file);
        assertThat(imported.output()).as(imported.error()).contains("scheduled 1, ");
        try (RunningServer server = new RunningServer(ServerConfig.of("127.0.0.1", 0, other), kinds)) {
            assertThat(server.get("q", "later").field("state")).isEqualTo("PENDING");
            String line = Files.readString(file).replaceAll(".*\"target\":(.*)}}\\s*", "$1");
            assertThat(server.put("q", "later", "{\"delay\":\"0s\",\"target\":" + line + "}")
                            .status())
                    .isEqualTo(200);
            assertThat(next()).isEqualTo("blue 1/b \"1\": later");
        }
    }

    @Test
    void targetsArePreparedOnceTheServerIsReady() throws Exception {
        try (RunningServer server = new RunningServer(ServerConfig.of("127.0.0.1", 0, temp.resolve("data")), kinds)) {
            assertThat(memo.prepared).hasValue(1);
            server.put("q", "now", "{\"delay\":\"0s\",\"target\":{\"memo\":{\"box\":\"in\"}}}");
            assertThat(next()).as("though it has thrown then").isEqualTo("blue 1/in: now");
        }
        assertThat(memo.prepared).hasValue(1);
    }

    @Test
    void aStartThatFailsClosesWhatItHasOpened() {
        try (RunningServer first = new RunningServer(temp.resolve("data"))) {
            assertThatThrownBy(() ->
                            new RunningServer(ServerConfig.of("127.0.0.1", first.port(), temp.resolve("b")), kinds))
                    .hasMessageContaining("cannot listen");
            assertThat(memo.open).as("when the port is in use").hasValue(0);
            assertThatThrownBy(() -> new RunningServer(ServerConfig.of("127.0.0.1", 0, temp.resolve("data")), kinds))
                    .hasMessageContaining("cannot open");
            assertThat(memo.open).as("when the store is in use").hasValue(0);
            assertThat(memo.prepared).as("never ready").hasValue(0);
        }
    }

    @Test
    void aServerThatDoesNotKnowItExportsWhatItIsAndImportsNothing() throws IOException {
        Path data = temp.resolve("data");
        try (RunningServer server = new RunningServer(ServerConfig.of("127.0.0.1", 0, data), kinds)) {
            server.put("q", "k", "{" + NEVER + ",\"target\":{\"memo\":{\"box\":\"in\"}}}");
        }
        Path file = temp.resolve("export");
        StoreCommands.run("export", data, "--to", file);
        assertThat(Files.readString(file)).contains("\"target\":{\"name\":\"memo\",\"address\":\"1/in\"}");
        Ended done = run("import", temp.resolve("other"), "--from", file);
        assertThat(done.error()).contains("\"target.name\" is not known");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {"memo":7}                              | 400 | wrong_type       | target.memo | target.memo is a number, must be an object
                    {"memo":{"box":null}}                   | 400 | wrong_type       | target.memo.box | target.memo.box is null, must be a string
                    {"memo":{"box":["a",{"b":[1.5]}]}}      | 400 | wrong_type       | target.memo.box | target.memo.box is an array, must be a string
                    {"memo":{}}                             | 422 | invalid_target   | target.memo.box | target.memo.box is missing, must be a string
                    {"memo":{"box":""}}                     | 422 | invalid_target   | target.memo.box | target.memo.box is "", must not be empty
                    {"memo":{"box":"a","copies":10}}        | 422 | out_of_range     | target.memo.copies | target.memo.copies is 10, must be 1 to 9
                    {"memo":{"box":"a","copies":1e30}}      | 400 | wrong_type       | target.memo.copies | target.memo.copies is a number, must be an integer
                    {"memo":{"box":"a","lid":1}}            | 400 | unknown_field    | target.memo.lid | field "target.memo.lid" is not known, must not be sent
                    {"memo":{"box":"\\ud800"}}              | 400 | lone_surrogate   | target.memo.box | half of a surrogate pair
                    {"memo":{"box":"a","box":"b"}}          | 400 | duplicate_field  | box | is there twice
                    {"memo":{"box":"a"},"log":{}}           | 400 | target_ambiguous | target | target must have exactly one of url, log and memo
                    {"kafka":{}}                            | 422 | target_not_available | target.kafka | target.kafka is not available here, must be url, log or memo
                    """)
    void whatItRefusesIsAProblemLikeOthers(String target, int status, String code, String field, String detail) {
        Path data = temp.resolve("data");
        try (RunningServer server = new RunningServer(ServerConfig.of("127.0.0.1", 0, data), kinds)) {
            Reply reply = server.put("q", "k", "{" + NEVER + ",\"target\":" + target + "}");
            assertThat(reply.status()).isEqualTo(status);
            assertThat(reply.field("code")).isEqualTo(code);
            assertThat(reply.field("field")).isEqualTo(field);
            assertThat(reply.field("detail").replace("\\\"", "\"")).contains(detail);
        }
    }

    /** Such as one of a class that is missing: it is answered, and so are the other lines of a batch. */
    @Test
    void anErrorOfItIsAProblemOfItsRequestAlone() throws Exception {
        Path data = temp.resolve("data");
        String broken = "\"target\":{\"memo\":{\"box\":\"broken\"}}}";
        try (RunningServer server = new RunningServer(ServerConfig.of("127.0.0.1", 0, data), kinds)) {
            Reply reply = server.put("q", "k", "{" + NEVER + "," + broken);
            assertThat(reply.status()).isEqualTo(500);
            assertThat(reply.field("code")).isEqualTo("internal");
            String lines = server.batch(
                            "q",
                            "{\"key\":\"a\"," + NEVER + "," + broken + "\n{\"key\":\"b\"," + NEVER
                                    + ",\"target\":{\"memo\":{\"box\":\"in\"}}}")
                    .body();
            assertThat(lines.lines()).hasSize(2);
            assertThat(lines.lines().toList().get(0)).contains("\"internal\"");
            assertThat(server.get("q", "b").field("state")).isEqualTo("PENDING");
        }
    }

    @Test
    void aQueueMayGoThereAndItHasOptionsOfItsOwn() throws Exception {
        ServerConfig config = config("ink: red");
        try (RunningServer server = new RunningServer(config, kinds)) {
            server.put("q", "k", "{\"delay\":\"0s\"}");
            assertThat(next()).isEqualTo("red 1/out box: k");
        }
        assertThat(read("targets: {memo: {ink: red}}", Map.of("TICKWHEEL_TARGETS_MEMO_INK", "green"))
                        .targetOptions())
                .isEqualTo(Map.of("memo", Map.of("ink", "green")));
    }

    @Test
    void settingsThatBreakItsRulesEndTheStart() {
        assertThatThrownBy(() -> read("queues: {q: {target: memo}}", Map.of()))
                .hasMessage("queues.q.target is \"memo\", must have a box;"
                        + " a target is log, memo and a box, a URL, or a method and a URL");
        assertThatThrownBy(() -> read("targets: {memo: {inc: red}}", Map.of()))
                .hasMessageContaining("did you mean targets.memo.ink?");
        assertThatThrownBy(() -> new RunningServer(config("ink: white"), kinds).close())
                .hasMessageContaining("cannot open targets.memo.ink: must not be white");
    }

    private String next() throws InterruptedException {
        return memo.memos.poll(20, TimeUnit.SECONDS);
    }

    private Ended run(Object... arguments) {
        return StoreCommands.run(kinds, arguments);
    }

    private ServerConfig config(String options) throws IOException {
        return read(
                "server: {port: 0}\nstore: {file: {directory: " + temp.resolve("data") + "}}\n"
                        + "queues: {q: {target: memo out box}}\ntargets: {memo: {" + options + "}}",
                Map.of());
    }

    private ServerConfig read(String yaml, Map<String, String> environment) throws IOException {
        return ConfigFile.read(Files.writeString(temp.resolve("tickwheel.yaml"), yaml), environment, kinds);
    }
}
