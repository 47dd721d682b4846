package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.CommandOptions;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.ProblemException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class IfMatchTest {

    private static void assertRefused(ThrowingCallable call, String header) {
        assertThatThrownBy(call).isInstanceOfSatisfying(ProblemException.class, refusal -> {
            assertThat(refusal.problem().code()).isEqualTo(ProblemCode.INVALID_IF_MATCH);
            assertThat(refusal.problem().field()).isEqualTo(header);
        });
    }

    @Test
    void idIsBetweenQuotationMarks() {
        assertThat(IfMatch.expectedId(RequestOf.headers("If-Match", "\"tmr_1\"")))
                .isEqualTo("tmr_1");
        assertThat(IfMatch.expectedId(RequestOf.headers("if-match", " \"t\" "))).isEqualTo("t");
        assertThat(IfMatch.expectedId(RequestOf.headers())).isNull();
        assertThat(IfMatch.options(RequestOf.headers("If-Match", "\"tmr_1\"")).expectedId())
                .isEqualTo("tmr_1");
        assertThat(IfMatch.options(RequestOf.headers())).isSameAs(CommandOptions.NONE);
    }

    @Test
    void valueIsAtMostTwoHundredCharacters() {
        String longest = "t".repeat(198);
        assertThat(IfMatch.expectedId(RequestOf.headers("If-Match", '"' + longest + '"')))
                .isEqualTo(longest);
        assertRefused(() -> IfMatch.expectedId(RequestOf.headers("If-Match", '"' + longest + "t\"")), "If-Match");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "\"", "\"\"", "*", "t", "tmr_1\"", "\"tmr_1", "\"a\"b\"", "\"a\", \"b\"", "W/\"tmr_1\""})
    void anyOtherValueIsRefused(String value) {
        assertRefused(() -> IfMatch.expectedId(RequestOf.headers("If-Match", value)), "If-Match");
    }

    @Test
    void otherConditionsAreRefusedWhereSomethingChanges() {
        assertRefused(
                () -> IfMatch.expectedId(RequestOf.headers("If-Match", "\"a\"", "If-Match", "\"a\"")), "If-Match");
        assertRefused(() -> IfMatch.checkOthers(RequestOf.headers("If-None-Match", "*")), "If-None-Match");
        assertRefused(() -> IfMatch.checkOthers(RequestOf.headers("If-Unmodified-Since", "")), "If-Unmodified-Since");
        assertThatCode(() -> IfMatch.checkOthers(RequestOf.headers("If-Match", "\"a\"")))
                .doesNotThrowAnyException();
    }
}
