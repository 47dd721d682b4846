package io.tickwheel.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code bin/tickwheel} builds anew what has changed, and so must know of what the server is made. */
final class StartScriptTest {

    private static final Pattern DEPENDENCY = Pattern.compile("(?s)<dependency>(.*?)</dependency>");
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(tickwheel-[^<]+)</artifactId>");
    private static final Pattern PARENT = Pattern.compile("(?s)<parent>.*?</parent>");
    private static final Pattern LIST = Pattern.compile("(?s)\\nmodules=\\((.*?)\\)");

    @Test
    void itLooksAtEveryModuleOfTheServer() {
        Set<String> made = new TreeSet<>();
        add(made, "server");
        Matcher list = LIST.matcher(SourceTree.read(SourceTree.root().resolve("bin/tickwheel")));
        assertThat(list.find()).isTrue();
        List<String> listed = Arrays.asList(list.group(1).strip().split("\\s+"));
        assertThat(listed).containsExactlyInAnyOrderElementsOf(made);
        assertThat(made).hasSizeGreaterThan(7);
    }

    private static void add(Set<String> made, String folder) {
        if (!made.add(folder)) {
            return;
        }
        Matcher dependencies = DEPENDENCY.matcher(pom(folder));
        while (dependencies.find()) {
            Matcher artifact = ARTIFACT.matcher(dependencies.group(1));
            if (artifact.find() && !dependencies.group(1).contains("<scope>test</scope>")) {
                add(made, folderOf(artifact.group(1)));
            }
        }
    }

    private static String folderOf(String artifact) {
        return SourceTree.modules().stream()
                .filter(folder -> {
                    Matcher own = ARTIFACT.matcher(pom(folder));
                    return own.find() && own.group(1).equals(artifact);
                })
                .findFirst()
                .orElseThrow(() -> new AssertionError(artifact + " is no module"));
    }

    /** Without its parent, so that the first artifact is its own. */
    private static String pom(String folder) {
        Path file = SourceTree.root().resolve(folder).resolve("pom.xml");
        return PARENT.matcher(SourceTree.read(file)).replaceFirst("");
    }
}
