package io.tickwheel.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The README in Chinese says what the one in English says: as many headings and tables of the same shape, and the same blocks of code. */
final class TranslationTest {

    private final Page english = Page.read(Page.root().resolve("README.md"));
    private final Page chinese = Page.read(Page.root().resolve("README.zh-CN.md"));

    @Test
    void headingsAreTheSame() {
        assertThat(chinese.headings()).isEqualTo(english.headings()).hasSizeGreaterThan(5);
    }

    @Test
    void tablesHaveTheSameSize() {
        assertThat(chinese.tables()).isEqualTo(english.tables()).hasSizeGreaterThan(1);
    }

    /** Comments may be translated, code may not. */
    @Test
    void blocksAreTheSame() {
        assertThat(chinese.blocks().stream().map(Block::info))
                .isEqualTo(english.blocks().stream().map(Block::info).toList());
        assertThat(codeOf(chinese)).isEqualTo(codeOf(english)).isNotEmpty();
    }

    private static List<String> codeOf(Page page) {
        return page.blocks().stream()
                .map(block -> block.text().replaceAll("(?m) *(//|# ).*$", ""))
                .toList();
    }
}
