package io.tickwheel.server.targets;

import io.tickwheel.store.PastAttempt;
import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How the body of an answer begins, as text: its first {@value #BYTES} bytes, and no byte more is kept. It is read as ISO 8859-1 where the answer says so, and
 * else as UTF-8. Of one event loop.
 */
final class AnswerExcerpt {

    static final int BYTES = PastAttempt.MOST_EXCERPT_BYTES;
    private static final String PARAMETER = "charset=";
    private static final Set<String> LATIN1 = Set.of("iso-8859-1", "iso_8859-1", "latin1", "l1");

    private final byte[] bytes = new byte[BYTES];
    private final Charset charset;
    private int size;

    /** @param contentType as the answer has it; null when it has none */
    AnswerExcerpt(@Nullable String contentType) {
        this.charset = charset(contentType);
    }

    private static Charset charset(@Nullable String contentType) {
        String type = contentType == null ? "" : contentType.toLowerCase(Locale.ROOT);
        for (String part : type.split(";", -1)) {
            String parameter = part.strip();
            if (parameter.startsWith(PARAMETER)) {
                String name = parameter.substring(PARAMETER.length()).replace("\"", "");
                return LATIN1.contains(name) ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8;
            }
        }
        return StandardCharsets.UTF_8;
    }

    /** Takes what comes next of the body. */
    void add(Buffer chunk) {
        int taken = Math.min(chunk.length(), BYTES - size);
        chunk.getBytes(0, taken, bytes, size);
        size += taken;
    }

    /** What there is; bytes that are no characters are replaced, but for those of a character that does not end here: what fills the place may go on. */
    String text() {
        CharBuffer text = CharBuffer.allocate(BYTES);
        charset.newDecoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .decode(ByteBuffer.wrap(bytes, 0, size), text, size < BYTES);
        return text.flip().toString();
    }
}
