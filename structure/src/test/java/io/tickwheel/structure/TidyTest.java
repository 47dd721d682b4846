package io.tickwheel.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What we ask of every text file, and of every page of documentation. */
final class TidyTest {
    private static final Pattern TEXT =
            Pattern.compile(".*\\.(java|md|xml|txt|properties|ya?ml|json|html|css|js|lua|sh|config)|run|Dockerfile");
    private static final Pattern PAGE = Pattern.compile(".*\\.md");

    /** Split, so that this file passes its own rule. */
    private static final Pattern UNFINISHED = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b");

    private static final Pattern MACHINE_PATH =
            Pattern.compile("(?<![\\w.:/-])/(home|root|work)/\\w|/Users/\\w|\\b[A-Z]:\\\\Users");
    private static final Pattern LINK = Pattern.compile("\\]\\(<?([^)\\s>]+)[^)]*\\)|(?:src|href)=\"([^\"]+)\"");
    private static final Pattern EXTERNAL = Pattern.compile("[a-z]+:.*|#.*");
    private static final Pattern INLINE_CODE = Pattern.compile("`[^`]*`");

    @Test
    void nothingIsLeftUnfinished() {
        assertThat(linesOf(TEXT, UNFINISHED.asPredicate()))
                .as("finish it, or write it down in the issue tracker")
                .isEmpty();
    }

    @Test
    void indentationIsMadeOfSpaces() {
        assertThat(linesOf(TEXT, line -> line.indexOf('\t') >= 0)).isEmpty();
    }

    @Test
    void noFileKnowsTheMachineItWasWrittenOn() {
        assertThat(linesOf(TEXT, MACHINE_PATH.asPredicate())).isEmpty();
    }

    @Test
    void everyPageHasOneTitle() {
        List<String> wrong = new ArrayList<>();
        for (Path page : SourceTree.files(PAGE)) {
            long titles = prose(page).stream()
                    .filter(line -> line.text().startsWith("# "))
                    .count();
            if (titles != 1) {
                wrong.add(SourceTree.root().relativize(page) + " has " + titles);
            }
        }
        assertThat(wrong).as("lines that start with '# '").isEmpty();
    }

    @Test
    void everyRelativeLinkLeadsSomewhere() {
        List<String> dead = new ArrayList<>();
        for (Path page : SourceTree.files(PAGE)) {
            for (Line line : prose(page)) {
                Matcher links = LINK.matcher(INLINE_CODE.matcher(line.text()).replaceAll(""));
                while (links.find()) {
                    String target = links.group(1) != null ? links.group(1) : links.group(2);
                    if (!EXTERNAL.matcher(target).matches() && !leadsSomewhere(page, target)) {
                        dead.add(line.where() + " -> " + target);
                    }
                }
            }
        }
        assertThat(dead).isEmpty();
    }

    @Test
    void thereIsSomethingToCheck() {
        assertThat(SourceTree.files(TEXT)).hasSizeGreaterThan(10);
        assertThat(SourceTree.files(PAGE)).isNotEmpty();
    }

    private static boolean leadsSomewhere(Path page, String target) {
        String file = target.replaceFirst("#.*", "");
        Path path = page.resolveSibling(file).normalize();
        return path.startsWith(SourceTree.root()) && Files.exists(path);
    }

    private static List<String> linesOf(Pattern name, Predicate<String> wrong) {
        return SourceTree.files(name).stream()
                .flatMap(file -> lines(file).stream())
                .filter(line -> wrong.test(line.text()))
                .map(line -> line.where() + " " + line.text().strip())
                .toList();
    }

    private static List<Line> lines(Path file) {
        String name = SourceTree.root().relativize(file).toString();
        List<Line> lines = new ArrayList<>();
        for (String text : SourceTree.read(file).split("\n", -1)) {
            lines.add(new Line(name + ":" + (lines.size() + 1), text));
        }
        return lines;
    }

    /** The lines of a page outside its code blocks. */
    private static List<Line> prose(Path page) {
        List<Line> prose = new ArrayList<>();
        boolean code = false;
        for (Line line : lines(page)) {
            if (line.text().stripLeading().startsWith("```")) {
                code = !code;
            } else if (!code) {
                prose.add(line);
            }
        }
        return prose;
    }

    private record Line(String where, String text) {}
}
