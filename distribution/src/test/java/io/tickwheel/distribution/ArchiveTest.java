package io.tickwheel.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive runs where it is unpacked, without Maven and without this source tree. */
final class ArchiveTest {

    @TempDir
    private static Path folder;

    private static Archive archive;

    @TempDir
    private Path place;

    @BeforeAll
    static void unpack() throws IOException {
        archive = Archive.unpack(folder);
    }

    @Test
    void aServerStartsDeliversAndEndsCleanly() throws IOException, InterruptedException {
        try (StartedServer server = new StartedServer(archive, place)) {
            var put = server.send(
                    "PUT",
                    "/v1/queues/demo/timers/hello",
                    "{\"delay\":\"0s\",\"payload\":{\"hello\":1},\"target\":{\"log\":{}}}");
            assertThat(put.statusCode()).isEqualTo(201);
            assertThat(server.awaitPrinted(text -> text.contains("demo/hello fired")))
                    .containsPattern("demo/hello fired, \\d+ ms late: \\{\"hello\":1}");
            assertThat(server.stop()).isZero();
        }
        assertThat(archive.tickwheel("verify", place.resolve("data").toString()).code())
                .isZero();
    }

    @Test
    void itHasWhatItsUsersLookFor() throws IOException {
        String version = archive.root().getFileName().toString().replaceFirst("tickwheel-", "");
        // Of a run before, on a newer JDK.
        assertThat(archive.names("."))
                .filteredOn(name -> !name.endsWith(".jsa"))
                .containsExactlyInAnyOrder(
                        "bin",
                        "config",
                        "deploy",
                        "lib",
                        "CHANGELOG.md",
                        "LICENSE",
                        "NOTICE",
                        "tickwheel-server-" + version + ".jar",
                        "tickwheel-" + version + ".cdx.json");
        assertThat(archive.tickwheel("--version").printed()).isEqualTo("tickwheel " + version + "\n");
        assertThat(Files.isExecutable(archive.file("bin/tickwheel"))).isTrue();
        assertThat(Files.isExecutable(archive.file("deploy/docker/healthcheck")))
                .isTrue();
    }

    @Test
    void whatATrainingHasLoadedIsMappedByLaterStarts() throws IOException {
        Archive trained = Archive.unpack(place);

        Archive.Ended ended = trained.tickwheel("train", "--timers", "300");

        assertThat(ended.code()).as(ended.printed()).isZero();
        String kept = trained.names(".").stream()
                .filter(name -> name.contains(".trained"))
                .reduce("", String::concat);
        assertThat(kept).matches("tickwheel-\\d+\\.trained");
        assertThat(ended.printed()).isEqualTo("Kept for later starts: " + trained.file(kept) + "\n");
        String loaded = Archive.run(trained.root(), "env", "JAVA_OPTS=-Xlog:class+load", "bin/tickwheel", "--version")
                .printed();
        assertThat(loaded).containsPattern("io\\.tickwheel\\.server\\.Main source: shared objects file");
    }

    @Test
    void aTrainingThatIsRefusedKeepsNothing() throws IOException {
        Archive.Ended ended = archive.tickwheel("train", "--timers", "0");

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.printed()).contains("tickwheel: --timers is \"0\", must be 1 to 1000000");
        assertThat(archive.names(".")).noneMatch(name -> name.contains(".trained"));
    }

    @Test
    void itSaysWhatIsMissingWhereNotAllIsUnpacked() throws IOException {
        Path bin = Files.createDirectories(place.resolve("half/bin"));
        Files.copy(
                archive.file("bin/tickwheel"),
                bin.resolve("tickwheel"),
                java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);

        Archive.Ended ended = new Archive(bin.getParent()).tickwheel("--version");

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.printed())
                .startsWith("tickwheel: there is no tickwheel-server-*.jar with a lib beside it in ");
    }

    @Test
    void theSampleOfTheConfigurationIsUnderstood() throws IOException {
        Archive.Ended ended = archive.tickwheel("config", "explain", "--table", "--config", "config/tickwheel.yaml");

        assertThat(ended.code()).as(ended.printed()).isZero();
        assertThat(ended.printed())
                .containsPattern("(?m)^server\\.port +7373 +config/tickwheel\\.yaml:7 ")
                .contains("\nlog.format ");
    }

    /** As in a container, where no locale is set: Java takes the names of files for ASCII there. A shell writes the bytes, as they do not pass through the locale of this JVM. */
    @Test
    void filesWhoseNamesAreNotAsciiAreFoundWithoutALocale() throws IOException {
        String script = "file=\"$1/$(printf 'gr\\303\\274n').yaml\"; echo '{server: {port: 1234}}' > \"$file\";"
                + " exec bin/tickwheel config explain --config \"$file\"";

        Archive.Ended ended =
                Archive.run(archive.root(), "env", "LC_ALL=C", "sh", "-c", script, "sh", place.toString());

        assertThat(ended.code()).as(ended.printed()).isZero();
        assertThat(ended.printed()).contains("gr\\u00fcn.yaml:1");
    }

    @Test
    void itBringsAllTargets() throws IOException {
        String settings = archive.tickwheel("config", "explain").printed();

        assertThat(settings)
                .contains(
                        "targets.kafka.bootstrapServers",
                        "targets.rabbitmq.uri",
                        "targets.rocketmq.endpoints",
                        "targets.redis-streams.uri",
                        "sources.kafka.topics",
                        "sources.rabbitmq.queue");
    }

    @Test
    void theJarNeedsWhatLiesBesideItAndNothingElse() throws IOException {
        File jar = archive.root().toFile().listFiles((in, name) -> name.matches("tickwheel-server-.*\\.jar"))[0];
        Manifest manifest;
        try (JarFile opened = new JarFile(jar)) {
            manifest = opened.getManifest();
            assertThat(opened.getEntry("io/vertx/core/Vertx.class"))
                    .as("a thin jar")
                    .isNull();
        }
        List<String> needed =
                List.of(manifest.getMainAttributes().getValue("Class-Path").split(" ", -1));

        assertThat(needed)
                .containsExactlyInAnyOrderElementsOf(
                        archive.names("lib").stream().map(name -> "lib/" + name).toList());
    }

    @Test
    void theBillOfMaterialsListsTheJars() throws IOException {
        String name = archive.names(".").stream()
                .filter(file -> file.endsWith(".cdx.json"))
                .findFirst()
                .orElseThrow();
        TreeSet<String> listed = new TreeSet<>();
        TreeSet<String> fields = new TreeSet<>();
        try (JsonParser parser =
                new JsonFactory().createParser(archive.file(name).toFile())) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.FIELD_NAME) {
                    fields.add(parser.currentName());
                    if (parser.currentName().equals("purl")) {
                        listed.add(jar(parser.nextTextValue()));
                    }
                }
            }
        }

        assertThat(fields).contains("bomFormat", "licenses", "hashes");
        TreeSet<String> there = new TreeSet<>(archive.names("lib"));
        there.addAll(archive.names(".").stream()
                .filter(file -> file.endsWith(".jar"))
                .toList());
        listed.removeIf(file -> file.startsWith("tickwheel-distribution-"));
        assertThat(listed).isEqualTo(there);
    }

    /** {@code pkg:maven/io.netty/netty-common@4.2?classifier=x&type=jar} is {@code netty-common-4.2-x.jar}. */
    private static String jar(String purl) {
        String[] parts = purl.substring(purl.lastIndexOf('/') + 1).split("[@?]", -1);
        String classifier = "";
        for (String part : parts.length < 3 ? new String[0] : parts[2].split("&", -1)) {
            if (part.startsWith("classifier=")) {
                classifier = "-" + part.substring("classifier=".length());
            }
        }
        return parts[0] + "-" + parts[1] + classifier + ".jar";
    }
}
