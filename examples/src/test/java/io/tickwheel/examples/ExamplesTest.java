package io.tickwheel.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ExamplesTest {

    @Test
    void listHasALineForEachExampleAndThePageARow() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Examples.list(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        String list = bytes.toString(StandardCharsets.UTF_8);
        String page = Files.readString(Path.of("..", "docs", "examples.md"));
        assertThat(list.lines()).hasSize(1 + Examples.ALL.size());
        assertThat(Examples.ALL).isNotEmpty().allSatisfy(example -> {
            assertThat(list).contains("  " + example.usage() + " ").contains("  " + example.about() + "\n");
            assertThat(page).containsPattern("\n\\| \\[?`" + example.name() + "`");
        });
    }

    @Test
    void argumentThatIsNoNumberOrOutOfItsRangeIsRefusedWithTheRule() {
        assertThat(Arguments.number(List.of(), 0, "size", 7, 9)).isEqualTo(7);
        assertThat(Arguments.number(List.of("9"), 0, "size", 7, 9)).isEqualTo(9);
        for (String wrong : List.of("0", "10", "many", "")) {
            assertThatThrownBy(() -> Arguments.number(List.of(wrong), 0, "size", 7, 9))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("size is '" + wrong + "', must be a whole number from 1 to 9");
        }
        assertThatThrownBy(() -> Arguments.atMost(List.of("a", "b"), 1)).hasMessageContaining("2 arguments");
    }
}
