package io.tickwheel.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What counts as a block, and which blocks there may be: each is read by one of the other tests. */
final class PageTest {

    /** The tests that read them: {@link JavaBlocksTest}, {@link ShellBlocksTest}, {@link DocumentBlocksTest}; text is read by nobody but people. */
    private static final Set<String> KNOWN = Set.of(
            "java",
            "java members TargetKind",
            "java run",
            "java other",
            "java other members",
            "bash",
            "bash shown",
            "sh",
            "sh shown",
            "json",
            "json fields",
            "json timer",
            "json answer",
            "yaml",
            "xml",
            "text",
            "text printed");

    @Test
    void everyBlockIsOfAKnownKind() throws IOException {
        assertThat(Page.allBlocks())
                .hasSizeGreaterThan(80)
                .allSatisfy(block -> assertThat(KNOWN)
                        .as("the kinds that are tested, at %s", block.where())
                        .contains(String.join(" ", block.info())));
    }

    @Test
    void blocksHeadingsAndTablesAreFound() {
        Page page = Page.of(
                "a.md",
                List.of(
                        "# Title",
                        "```java run",
                        "# no heading",
                        "| no table |",
                        "```",
                        "## Part",
                        "| a | b |",
                        "|---|---|",
                        "| 1 | x \\| y |",
                        "",
                        "- item",
                        "  ```json",
                        "  {}",
                        "  ```"));

        assertThat(page.blocks())
                .containsExactly(
                        new Block("a.md", 2, List.of("java", "run"), "# no heading\n| no table |\n"),
                        new Block("a.md", 12, List.of("json"), "{}\n"));
        assertThat(page.headings()).containsExactly(1, 2);
        assertThat(page.tables()).containsExactly(new Page.Size(2, 2));
    }

    @Test
    void rowWithACellTooManyIsRefused() {
        assertThatThrownBy(() -> Page.of("a.md", List.of("| a |", "|---|", "| 1 | 2 |")))
                .hasMessage("a.md:3 has another number of cells than the row before");
    }

    @Test
    void blockWithoutAnEndIsRefused() {
        assertThatThrownBy(() -> Page.of("a.md", List.of("text", "```java")))
                .hasMessage("a.md:2 has a block without an end");
    }
}
