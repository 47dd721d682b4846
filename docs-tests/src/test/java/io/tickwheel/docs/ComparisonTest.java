package io.tickwheel.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What compare.md says about another product has a source, or says that there is none; each source is a link, and is used. */
final class ComparisonTest {

    private static final Pattern NOTE = Pattern.compile("\\[\\^(\\w+)]");

    /** The name, then the column of Tickwheel. */
    private static final int OWN_COLUMNS = 2;

    private final List<String> lines = Files.readAllLines(Page.root().resolve("docs/compare.md"));

    ComparisonTest() throws IOException {}

    @Test
    void everyClaimAboutOthersHasASource() {
        List<String> rows = lines.stream()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| |") && !line.startsWith("| version |"))
                .toList();

        assertThat(rows)
                .hasSizeGreaterThan(30)
                .allSatisfy(row -> assertThat(
                                cells(row).stream().skip(OWN_COLUMNS).filter(cell -> !cell.equals("not checked")))
                        .as(row)
                        .allMatch(cell -> NOTE.matcher(cell).find()));
    }

    @Test
    void everySourceIsALinkAndUsed() {
        Set<String> used = notes(line -> !line.startsWith("[^"));
        Set<String> defined = notes(line -> line.startsWith("[^"));

        assertThat(used).isEqualTo(defined).isNotEmpty();
        assertThat(lines.stream().filter(line -> line.startsWith("[^"))).allMatch(line -> line.contains("]("));
    }

    private Set<String> notes(Predicate<String> which) {
        return lines.stream()
                .filter(which)
                .flatMap(line -> NOTE.matcher(line).results().map(match -> match.group(1)))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<String> cells(String row) {
        return Arrays.stream(row.substring(1, row.length() - 1).split("\\|", -1))
                .map(String::strip)
                .toList();
    }
}
