package io.tickwheel.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Links to a part of a page lead to a heading of it, by the names that GitHub gives them. That there is such a page is held by {@code structure}. */
final class AnchorTest {

    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s:]*)#([^)\\s]+)\\)");

    @Test
    void everyAnchorIsAHeading() throws IOException {
        Map<Path, Set<String>> anchors = new HashMap<>();
        List<Path> pages = new ArrayList<>();
        for (Page page : Page.all()) {
            pages.add(Page.root().resolve(page.name()));
        }
        for (Path page : pages) {
            anchors.put(page, anchors(prose(page)));
        }
        List<String> dead = new ArrayList<>();
        int links = 0;
        for (Path page : pages) {
            for (String line : prose(page)) {
                Matcher link = LINK.matcher(line.replaceAll("`[^`]*`", ""));
                while (link.find()) {
                    Path to = link.group(1).isEmpty()
                            ? page
                            : page.resolveSibling(link.group(1)).normalize();
                    links++;
                    if (!anchors.getOrDefault(to, Set.of()).contains(link.group(2))) {
                        dead.add(page.getFileName() + " -> " + link.group());
                    }
                }
            }
        }

        assertThat(dead).isEmpty();
        assertThat(links).isGreaterThan(50);
    }

    @Test
    void anchorsAreThoseOfGitHub() {
        assertThat(anchors(List.of("## From `x`, to [Y's](y.md) Z-1", "text"))).containsExactly("from-x-to-ys-z-1");
    }

    private static Set<String> anchors(List<String> prose) {
        Set<String> anchors = new HashSet<>();
        for (String line : prose) {
            if (line.matches("#{1,6} .*")) {
                anchors.add(line.replaceFirst("#+ ", "")
                        .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                        .replace(' ', '-'));
            }
        }
        return anchors;
    }

    private static List<String> prose(Path page) throws IOException {
        List<String> prose = new ArrayList<>();
        boolean code = false;
        for (String line : Files.readAllLines(page)) {
            if (line.stripLeading().startsWith("```")) {
                code = !code;
            } else if (!code) {
                prose.add(line);
            }
        }
        return prose;
    }
}
