package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code dev} refuses before it starts a server. */
final class DevCommandTest {

    @ParameterizedTest
    @CsvSource({"--prot, 1", "--port, x", "--port, 70000", "--data, ' '"})
    void wrongArgumentIsNamed(String option, String value) {
        Ended ended = CommandRun.inPipe().run("dev", option, value);

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.output()).isEmpty();
        assertThat(ended.error()).contains(option);
    }

    @Test
    void strangersAreNotServed() {
        for (String host : List.of("0.0.0.0", "::", "192.0.2.1")) {
            Ended ended = CommandRun.inPipe().run("dev", "--host", host, "--port", "0");

            assertThat(ended.code()).as(host).isEqualTo(2);
            assertThat(ended.error())
                    .startsWith("tickwheel: --host is \"" + host + "\", ")
                    .contains("serve");
        }
    }
}
