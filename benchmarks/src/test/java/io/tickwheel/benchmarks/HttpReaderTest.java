package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HttpReaderTest {

    private static final String LONG_BODY = "x".repeat(100_000);
    private static final String STREAM = "HTTP/1.1 201 Created\r\nDate: x\r\ncontent-LENGTH: 5\r\n\r\nfirst"
            + "HTTP/1.1 204 No Content\r\n\r\n"
            + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n0\r\n\r\n"
            + "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 100000\r\n\r\n" + LONG_BODY
            + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlast";

    @Test
    void messagesAreCutWhereTheyEndHoweverTheyArrive() throws IOException {
        for (int piece : new int[] {1, 7, 1_000, 1_000_000}) {
            List<String> messages = new ArrayList<>();
            HttpReader reader = new HttpReader();
            ReadableByteChannel channel = inPieces(STREAM, piece);
            while (reader.fill(channel)) {
                while (reader.next()) {
                    messages.add(reader.status() + " " + reader.body());
                }
            }
            assertThat(messages)
                    .containsExactly("201 first", "204 ", "200 4\r\nsome\r\n0\r\n\r\n", "500 " + LONG_BODY, "200 last");
        }
    }

    @Test
    void wordsInTheBodyAreCounted() throws IOException {
        HttpReader reader = new HttpReader();
        reader.fill(inPieces("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nababcaba", 100));
        assertThat(reader.next()).isTrue();
        assertThat(reader.count("ab".getBytes(UTF_8))).isEqualTo(3);
        assertThat(reader.count("caba!".getBytes(UTF_8))).isZero();
    }

    private static ReadableByteChannel inPieces(String text, int piece) {
        return Channels.newChannel(new ByteArrayInputStream(text.getBytes(UTF_8)) {
            @Override
            public int read(byte[] to, int at, int length) {
                return super.read(to, at, Math.min(length, piece));
            }

            @Override
            public int available() {
                return 0;
            }
        });
    }
}
