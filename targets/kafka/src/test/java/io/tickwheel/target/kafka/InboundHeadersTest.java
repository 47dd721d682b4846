package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

/** What of the headers of a record is for Tickwheel, and what comes out again. */
final class InboundHeadersTest {

    private final RecordHeaders headers = new RecordHeaders();
    private final InboundHeaders read = new InboundHeaders(headers);

    private void add(String name, String value) {
        headers.add(name, Publisher.bytes(value));
    }

    @Test
    void theLastOfSeveralHeadersCounts() {
        add("x-delay", "1h");
        add("message-id", "first");
        add("x-delay", "5s");
        add("message-id", "last");
        assertThat(read.dueAt(Instant.EPOCH)).isEqualTo(Instant.ofEpochSecond(5));
        assertThat(read.text("message-id")).isEqualTo("last");
    }

    @Test
    void whatIsNoTextIsRefusedAndNotReadAsAnother() {
        headers.add("message-id", new byte[] {'a', (byte) 0xff});
        assertThatThrownBy(() -> read.text("message-id"))
                .isInstanceOf(Refusal.class)
                .hasMessage("message-id is no text, must be in UTF-8");
        assertThat(read.textOrNull("message-id")).isNull();
    }

    @Test
    void whatIsNoneOfTickwheelsComesOutAsOftenAsItCameIn() {
        add("x-delay", "5s");
        add("a", "1");
        add("tickwheel-key", "k");
        add("Tickwheel-Topic", "t");
        add("X-Delay", "of another");
        add("a", "2");
        assertThat(read.others()).extracting(Header::key).containsExactly("a", "X-Delay", "a");
        assertThat(read.others().get(2).value()).isEqualTo(Publisher.bytes("2"));
    }
}
