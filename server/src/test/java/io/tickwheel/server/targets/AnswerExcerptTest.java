package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AnswerExcerptTest {

    private static final String GRIN = "\uD83D\uDE00";

    private static String excerpt(String contentType, byte[] body, int chunk) {
        AnswerExcerpt excerpt = new AnswerExcerpt(contentType);
        for (int from = 0; from < body.length; from += chunk) {
            excerpt.add(Buffer.buffer(body).getBuffer(from, Math.min(from + chunk, body.length)));
        }
        return excerpt.text();
    }

    private static String excerpt(String contentType, String body, Charset charset) {
        return excerpt(contentType, body.getBytes(charset), 7);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "",
                "text/plain",
                "text/plain;charset=utf-8",
                "text/plain; format=flowed; Charset=\"UTF-8\"",
                "text/plain; charset=us-ascii",
                "text/plain; charset=nonsense",
                "text/plain; xcharset=iso-8859-1"
            })
    void textIsUtf8UnlessTheAnswerSaysOtherwise(String contentType) {
        assertThat(excerpt(contentType, "ä\0" + GRIN, StandardCharsets.UTF_8)).isEqualTo("ä\0" + GRIN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/html; charset=iso-8859-1",
                "text/html;Charset=\"ISO-8859-1\" ; x=y",
                "text/html; charset=latin1"
            })
    void latin1IsReadWhereTheAnswerSaysSo(String contentType) {
        assertThat(excerpt(contentType, "größer", StandardCharsets.ISO_8859_1)).isEqualTo("größer");
    }

    @Test
    void bytesThatAreNoCharactersAreReplaced() {
        assertThat(excerpt("text/plain", "größer", StandardCharsets.ISO_8859_1)).isEqualTo("gr\uFFFD\uFFFDer");
        assertThat(excerpt("text/plain", "\u00c3", StandardCharsets.ISO_8859_1))
                .as("a body that ends within a character")
                .isEqualTo("\uFFFD");
    }

    @Test
    void firstBytesAreKeptAndNoCharacterIsTorn() {
        for (int chunk : new int[] {1, 3, 199, 200, 201, 10_000}) {
            byte[] body = GRIN.repeat(1_000).getBytes(StandardCharsets.UTF_8);
            assertThat(excerpt(null, body, chunk)).isEqualTo(GRIN.repeat(50));
            byte[] shifted = ("xy" + GRIN.repeat(1_000)).getBytes(StandardCharsets.UTF_8);
            assertThat(excerpt(null, shifted, chunk)).isEqualTo("xy" + GRIN.repeat(49));
            byte[] whole = ("xy" + GRIN.repeat(49) + "zz").getBytes(StandardCharsets.UTF_8);
            assertThat(excerpt(null, whole, chunk)).isEqualTo("xy" + GRIN.repeat(49) + "zz");
        }
        byte[] filling = Arrays.copyOf(("xy" + GRIN.repeat(50)).getBytes(StandardCharsets.UTF_8), AnswerExcerpt.BYTES);
        assertThat(excerpt(null, filling, 200))
                .as("an answer whose rest is not read")
                .isEqualTo("xy" + GRIN.repeat(49));
        assertThat(excerpt(null, new byte[0], 1)).isEmpty();
    }
}
