package io.tickwheel.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.server.config.ConfigFile;
import io.tickwheel.server.config.StartException;
import io.tickwheel.server.targets.InstalledTargets;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/** JSON is JSON, settings are read by the server, and dependencies are modules of this tree. */
final class DocumentBlocksTest {

    private static final String SECRET = "/run/secrets/redis";
    private static final Pattern ARTIFACT = Pattern.compile("tickwheel-[a-z-]+");

    @TempDir
    Path folder;

    @Test
    void jsonIsJson() throws IOException {
        for (Block block : blocks("json")) {
            String text = block.form().equals("fields") ? "{" + block.text() + "}" : block.text();
            assertThatCode(() -> Json.names(text)).as(block.where()).doesNotThrowAnyException();
        }
        assertThatThrownBy(() -> Json.names("{\"a\": 1, \"a\": 2}")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> Json.names("{} {}")).isInstanceOf(IOException.class);
    }

    @Test
    void settingsAreReadByTheServer() throws IOException {
        Files.writeString(folder.resolve("secret"), "secret\n");
        for (Block block : blocks("yaml")) {
            assertThatCode(() -> readSettings(block.text())).as(block.where()).doesNotThrowAnyException();
        }
        for (Block block : Page.allBlocks()) {
            if (block.language().equals("bash") || block.language().equals("sh")) {
                for (Shell.Command command : Shell.commands(block.text())) {
                    if (command.file().endsWith(".yaml")) {
                        assertThatCode(() -> readSettings(command.input()))
                                .as(block.where())
                                .doesNotThrowAnyException();
                    }
                }
            }
        }
        assertThatThrownBy(() -> readSettings("server: {prot: 7373}\n")).isInstanceOf(StartException.class);
    }

    @Test
    void dependenciesAreModules() throws IOException, SAXException, ParserConfigurationException {
        List<String> modules = new ArrayList<>();
        Matcher module = Pattern.compile("<module>([^<]+)</module>")
                .matcher(Files.readString(Page.root().resolve("pom.xml")));
        while (module.find()) {
            String pom = Files.readString(Page.root().resolve(module.group(1)).resolve("pom.xml"));
            ARTIFACT.matcher(pom.substring(pom.indexOf("</parent>")))
                    .results()
                    .findFirst()
                    .ifPresent(match -> modules.add(match.group()));
        }
        assertThat(modules).contains("tickwheel-engine", "tickwheel-target-kafka");
        for (Block block : blocks("xml")) {
            DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader("<a>" + block.text() + "</a>")));
        }
        for (Page page : Page.all()) {
            for (String line : Files.readAllLines(Page.root().resolve(page.name()))) {
                if (line.contains("artifactId") || line.contains("io.tickwheel:")) {
                    assertThat(ARTIFACT.matcher(line).results().map(match -> match.group()))
                            .as("modules of %s: %s", page.name(), line)
                            .allMatch(modules::contains);
                }
            }
        }
    }

    /** It is drawn by {@code docs/cast/Cast.java}; a browser shows it as a picture, in which nothing is run. */
    @Test
    void castIsAPictureOfATimerThatFired() throws IOException, SAXException, ParserConfigurationException {
        Document cast = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(Page.root().resolve("docs/cast/cast.svg").toFile());

        assertThat(cast.getElementsByTagName("script").getLength()).isZero();
        assertThat(cast.getDocumentElement().getTextContent()).contains("kill -9", "fired", "ms late");
    }

    private void readSettings(String yaml) throws IOException {
        Path file = Files.createTempFile(folder, "page", ".yaml");
        Files.writeString(file, yaml.replace(SECRET, folder.resolve("secret").toString()));
        ConfigFile.read(file, Map.of(), InstalledTargets.kinds());
    }

    private static List<Block> blocks(String language) throws IOException {
        return Page.allBlocks().stream()
                .filter(block -> block.language().equals(language))
                .toList();
    }
}
