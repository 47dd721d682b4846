package io.tickwheel.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Scripts are read as a shell reads them. */
final class ShellTest {

    @Test
    void wordsQuotesAndCommentsAreRead() {
        assertThat(Shell.commands("A=b curl -d '{\"a\": \"#1\"}' \\\n  \"x \\\"y\\\"\" & # why\nls | wc\n"))
                .containsExactly(command("curl", "-d", "{\"a\": \"#1\"}", "x \"y\""), command("ls"), command("wc"));
    }

    @Test
    void documentInPlaceGoesIntoItsFile() {
        assertThat(Shell.commands("cat > a.yaml <<'END'\na: 1\n# b\nEND\nls\n"))
                .containsExactly(new Shell.Command(List.of("cat"), "a.yaml", "a: 1\n# b\n"), command("ls"));
    }

    @Test
    void whatHasNoEndIsRefused() {
        assertThatThrownBy(() -> Shell.commands("echo 'a\n")).hasMessageContaining("a quote has no end");
        assertThatThrownBy(() -> Shell.commands("cat <<END\na\n")).hasMessageContaining("a document has no end");
    }

    private static Shell.Command command(String... words) {
        return new Shell.Command(List.of(words), "", "");
    }
}
