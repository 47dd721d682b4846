package io.tickwheel.store.redis.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What is written of a command. */
final class WireCommandTest {

    private static String written(Consumer<ByteBuf> writer) {
        ByteBuf out = Unpooled.buffer();
        writer.accept(out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void lengthsAreWrittenWithAllTheirDigits() {
        for (int length : new int[] {0, 9, 10, 99, 100, 12_345, Integer.MAX_VALUE}) {
            assertThat(written(out -> WireCommand.writeLength(out, length))).isEqualTo("*" + length + "\r\n");
        }
    }

    /** A server that is told a wrong one takes the rest for another command. */
    @Test
    void lengthOfATextIsThatOfItsBytes() {
        assertThat(written(out -> WireCommand.writeUtf8(out, "aé€"))).isEqualTo("$6\r\naé€\r\n");
        assertThat(written(out -> WireCommand.writeAscii(out, "PING"))).isEqualTo("$4\r\nPING\r\n");
        assertThat(written(out -> WireCommand.writeStrings(out, List.of(new byte[0], new byte[] {'x'}))))
                .isEqualTo("$0\r\n\r\n$1\r\nx\r\n");
    }
}
