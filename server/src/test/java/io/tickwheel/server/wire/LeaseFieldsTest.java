package io.tickwheel.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.server.wire.LeaseFields.Action;
import io.tickwheel.server.wire.LeaseFields.Ask;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What may be asked of leases, by what is asked. */
final class LeaseFieldsTest {

    private static Ask ask(Action action, boolean many, String json) {
        return LeaseFields.ask(action, many, json.getBytes(StandardCharsets.UTF_8));
    }

    private static String leases(int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> "\"l" + number + "\"")
                .collect(Collectors.joining(",", "{\"leases\":[", "]}"));
    }

    @Test
    void fieldsCountInAnyOrder() {
        Ask nack = new Ask(List.of("a"), Duration.ofSeconds(5), "away", null);
        assertThat(ask(Action.NACK, true, "{\"leases\":[\"a\"],\"delay\":\"5s\",\"reason\":\"away\"}"))
                .isEqualTo(nack);
        assertThat(ask(Action.NACK, true, "{\"reason\":\"away\",\"delay\":\"5s\",\"leases\":[\"a\"]}"))
                .isEqualTo(nack);
        assertThat(ask(Action.EXTEND, true, "{\"ttl\":\"1m\",\"leases\":[\"a\",\"b\"]}"))
                .isEqualTo(new Ask(List.of("a", "b"), null, "", Duration.ofMinutes(1)));
    }

    @Test
    void aCallNamesAThousandLeasesAtMost() {
        assertThat(ask(Action.ACK, true, leases(1_000)).leases()).hasSize(1_000);
        assertThatThrownBy(() -> ask(Action.ACK, true, leases(1_001)))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        refusal -> assertThat(refusal.problem().code()).isEqualTo(ProblemCode.OUT_OF_RANGE));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            ACK    | {"delay":"1s"}                | delay
            ACK    | {"reason":"no"}               | reason
            NACK   | {"ttl":"1m"}                  | ttl
            EXTEND | {"ttl":"1m","reason":"no"}    | reason
            BURY   | {"delay":"1s"}                | delay
            NACK   | {"leases":["a"]}              | leases
            """)
    void whatIsNotForTheCallIsRefusedByName(Action action, String json, String field) {
        assertThatThrownBy(() -> ask(action, false, json)).isInstanceOfSatisfying(ProblemException.class, refusal -> {
            assertThat(refusal.problem().code()).isEqualTo(ProblemCode.UNKNOWN_FIELD);
            assertThat(refusal.problem().detail()).contains(field);
        });
    }
}
