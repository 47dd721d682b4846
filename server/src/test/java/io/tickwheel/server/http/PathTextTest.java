package io.tickwheel.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.ProblemException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PathTextTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            order-7   | order-7
            !~+;      | !~+;
            ..        | ..
            ``        | ``
            a%2Fb     | a/b
            %2e%2E    | ..
            %41       | A
            %25%2541  | %%41
            a%20b%0   | two hex digits
            %C3%A4x   | äx
            a%        | two hex digits
            %4        | two hex digits
            %4g       | two hex digits
            %g4       | two hex digits
            a b       | a character that must be percent-encoded
            %41ä      | a character that must be percent-encoded
            a\u007f  | a character that must be percent-encoded
            %C0%AE    | percent-encoded UTF-8
            a%FF      | percent-encoded UTF-8
            """)
    void segmentIsDecodedOrRefusedWithTheRule(String segment, String expected) {
        if (!expected.matches(".*(digits|encoded).*")) {
            assertThat(PathText.decode(segment)).isEqualTo(expected);
            return;
        }
        assertThatThrownBy(() -> PathText.decode(segment)).isInstanceOfSatisfying(ProblemException.class, refusal -> {
            assertThat(refusal.problem().code()).isEqualTo(ProblemCode.MALFORMED_PATH);
            assertThat(refusal.problem().detail()).contains(expected);
        });
    }
}
