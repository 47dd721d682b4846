package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Answers as JSON and as tables. */
final class OutputTest {

    private static final List<String> COLUMNS = List.of("key", "state");
    private static final String LINE_END = System.lineSeparator();

    private final StringWriter printed = new StringWriter();
    private final Output table = new Output(new PrintWriter(printed), true);
    private final Output json = new Output(new PrintWriter(printed), false);

    /** Whatever the encoding of the terminal is, and each with four digits. */
    @Test
    void jsonIsAscii() {
        json.print(new RemoteServer.Answer("{\"a\":\"é€\uD83D\uDE00\u007f\"}", Map.of()));
        assertThat(printed).hasToString("{\"a\":\"\\u00e9\\u20ac\\ud83d\\ude00\\u007f\"}" + LINE_END);
    }

    @Test
    void listThatGoesOnSaysSo() {
        json.print("timers", List.of(Map.of("key", "k")), COLUMNS, "abc");
        json.print("timers", List.of(), COLUMNS, null);
        table.print("timers", List.of(Map.of("key", "k", "state", "DEAD")), COLUMNS, "abc");
        table.print("timers", List.of(Map.of("key", "longer")), COLUMNS, null);
        assertThat(printed)
                .hasToString(String.join(
                        LINE_END,
                        "{\"timers\":[{\"key\":\"k\"}],\"next\":\"abc\"}",
                        "{\"timers\":[]}",
                        "KEY  STATE",
                        "k    DEAD",
                        "there may be more: --cursor abc",
                        "KEY     STATE",
                        "longer",
                        ""));
    }

    @Test
    void whatAServerSaysStaysInItsLine() {
        table.print("timers", List.of(Map.of("key", "a\nb\u001b[31m", "state", "DEAD")), COLUMNS, null);
        assertThat(printed.toString().lines()).hasSize(2);
        assertThat(printed.toString()).doesNotContain("\u001b");
    }

    @Test
    void innerFieldsOfATableHaveTheNamesOfBoth() {
        table.print(new RemoteServer.Answer("{}", Map.of("retry", Map.of("delays", List.of("1s", "2s")))));
        assertThat(printed).hasToString("retry.delays  [\"1s\",\"2s\"]" + LINE_END);
    }
}
