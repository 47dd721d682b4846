package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TimerTemplateTest {

    @Test
    void numberAndDueTimeReplaceTheirMarks() {
        TimerTemplate template = new TimerTemplate(
                TimerTemplate.NUMBER + " at " + TimerTemplate.DUE + ", again " + TimerTemplate.NUMBER);
        byte[] text = new byte[1 + template.length()];
        template.write(text, 1, 42, 1_760_000_000_123L);
        assertThat(new String(text, 1, template.length(), UTF_8))
                .isEqualTo("0000000042 at 1760000000123, again 0000000042");
    }
}
