package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.ProblemException;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class QueryParametersTest {

    private static QueryParameters read(String query) {
        return QueryParameters.read(query, Set.of("b", "a"));
    }

    private static void assertRefused(ThrowingCallable call, ProblemCode code, String field, String rule) {
        assertThatThrownBy(call).isInstanceOfSatisfying(ProblemException.class, refusal -> {
            assertThat(refusal.problem().code()).isEqualTo(code);
            assertThat(refusal.problem().field()).isEqualTo(field);
            assertThat(refusal.problem().detail()).contains(rule);
        });
    }

    @Test
    void valuesAreDecoded() {
        QueryParameters parameters = read("a=x%20y+z&b=c=d");
        assertThat(parameters.get("a")).isEqualTo("x y+z");
        assertThat(parameters.get("b")).isEqualTo("c=d");
        assertThat(read("a=").get("a")).isEmpty();
        assertThat(read("").get("a")).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "c=1, UNKNOWN_PARAMETER, c, 'must be one of [a, b]'",
        "=1, UNKNOWN_PARAMETER, '', 'must be one of [a, b]'",
        "a=1&, UNKNOWN_PARAMETER, '', 'must be one of [a, b]'",
        "a, MALFORMED_QUERY, a, must be written a=",
        "a=%zz, MALFORMED_QUERY, a, must be percent-encoded UTF-8",
        "a=1&b=2&a=1, DUPLICATE_PARAMETER, a, must be at most once"
    })
    void whatACallDoesNotTakeIsRefused(String query, ProblemCode code, String field, String rule) {
        assertRefused(() -> read(query), code, field, rule);
    }

    @Test
    void callWithoutParametersTakesNone() {
        assertRefused(
                () -> QueryParameters.read("a=1", Set.of()), ProblemCode.UNKNOWN_PARAMETER, "a", "must not be sent");
    }

    @Test
    void flagIsTrueOrFalse() {
        assertThat(read("a=true").flag("a")).isTrue();
        assertThat(read("a=false").flag("a")).isFalse();
        assertThat(read("").flag("a")).isFalse();
        assertRefused(() -> read("a=TRUE").flag("a"), ProblemCode.INVALID_CHOICE, "a", "must be true or false");
        assertRefused(() -> read("a=").flag("a"), ProblemCode.INVALID_CHOICE, "a", "must be true or false");
    }

    @Test
    void numberIsInItsRange() {
        assertThat(read("").number("a", 1, 90, 7)).isEqualTo(7);
        assertThat(read("a=1").number("a", 1, 90, 7)).isEqualTo(1);
        assertThat(read("a=90").number("a", 1, 90, 7)).isEqualTo(90);
        assertThat(read("a=000000009").number("a", 1, 90, 7)).isEqualTo(9);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "91", "", "-1", "+5", "5 ", "5x", "x5", "٥", "0000000009", "9999999999"})
    void otherNumbersAreRefused(String text) {
        String raw = text.equals("٥") ? "%D9%A5" : text.replace(" ", "%20");
        assertRefused(
                () -> read("a=" + raw).number("a", 1, 90, 7),
                ProblemCode.OUT_OF_RANGE,
                "a",
                "\"" + text + "\", must be 1 to 90");
    }
}
