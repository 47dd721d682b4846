package io.tickwheel.server.wire;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CallbackHeadersTest {

    @Test
    void headersOfAProgramAreCheckedByNameAndValue() {
        assertThatCode(() -> CallbackHeaders.check(Map.of("x-shop", "a b\t~"))).doesNotThrowAnyException();
        assertThatThrownBy(() -> CallbackHeaders.check(Map.of("x shop", "a")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("x shop")
                .hasMessageContaining("must be a token");
        assertThatThrownBy(() -> CallbackHeaders.check(Map.of("x-shop", "a\r\nhost: b")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("x-shop")
                .hasMessageContaining("U+000D at 1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a/b",
                "text/plain",
                "text/plain;charset=utf-8",
                "text/plain  ; charset=utf-8",
                "application/x+json"
            })
    void mediaTypes(String type) {
        assertThatCode(() -> CallbackHeaders.checkMediaType(type)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "text",
                "text/",
                "/plain",
                ";",
                "text;a/b",
                "text/ ;a",
                "te xt/plain",
                "text/ plain",
                "text/pl ain",
                "text/plain ",
                "text/a/b",
                "text/pl\u00e4in"
            })
    void whatIsNoMediaType(String type) {
        assertThatThrownBy(() -> CallbackHeaders.checkMediaType(type))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("must be a media type such as text/plain; charset=utf-8");
    }

    @Test
    void mediaTypeEndsWhereItsLengthDoes() {
        String longest = "text/" + "a".repeat(250);
        assertThatCode(() -> CallbackHeaders.checkMediaType(longest)).doesNotThrowAnyException();
        assertThatThrownBy(() -> CallbackHeaders.checkMediaType(longest + "a"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> CallbackHeaders.checkMediaType("text/plain; a=\r\n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("U+000D");
    }
}
