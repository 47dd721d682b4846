package io.tickwheel.server.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.server.access.Caller;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a line of the audit log says, and which lines are of refusals, of which not all are written. */
final class AuditEntryTest {

    private static AuditEntry entry(int status, AuditCount count) {
        AuditEntry.Asked asked = new AuditEntry.Asked("POST", "BURY_MANY", null, null, List.of());
        return new AuditEntry(0, Caller.ANYBODY, "127.0.0.1", asked, status, "", count);
    }

    @ParameterizedTest
    @CsvSource({
        "200, false",
        "202, false",
        "399, false",
        "400, true",
        "403, true",
        "499, true",
        "500, false",
        "503, false"
    })
    void whatTheServerCouldNotDoIsNoRefusal(int status, boolean isRefused) {
        assertThat(entry(status, null).isRefused()).isEqualTo(isRefused);
    }

    @ParameterizedTest
    @CsvSource({"0, 0, false", "0, 1, true", "1, 0, false", "1, 5, false"})
    void callOfSeveralPartsIsRefusedWhenNoneOfThemWasDone(int done, int refused, boolean isRefused) {
        assertThat(entry(200, new AuditCount(done, refused, List.of())).isRefused())
                .isEqualTo(isRefused);
    }

    @Test
    void theFirstQueuesAreNamedAndTheOthersCounted() {
        List<String> queues = IntStream.range(0, 10).mapToObj(i -> "q" + i).toList();
        assertThat(line(queues.subList(0, 8)))
                .endsWith("\"queues\":[\"q0\",\"q1\",\"q2\",\"q3\",\"q4\",\"q5\",\"q6\",\"q7\"]}\n");
        assertThat(line(queues))
                .endsWith("\"queues\":[\"q0\",\"q1\",\"q2\",\"q3\",\"q4\",\"q5\",\"q6\",\"q7\"],\"moreQueues\":2}\n");
    }

    private static String line(List<String> queues) {
        return new String(entry(200, new AuditCount(1, 0, queues)).line(), StandardCharsets.UTF_8);
    }
}
