package io.tickwheel.target.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StoredRecordTest {

    private static final byte[] BYTES = {0, (byte) 0xff, (byte) 0xc0};

    @Test
    void whatIsWrittenIsReadAgain() {
        List<Header> headers = List.of(
                new RecordHeader("a", BYTES),
                new RecordHeader("a", (byte[]) null),
                new RecordHeader("", new byte[0]),
                new RecordHeader("ü", BYTES));
        for (byte[] key : new byte[][] {null, {}, BYTES}) {
            for (boolean hasValue : new boolean[] {true, false}) {
                StoredRecord read = StoredRecord.parse(new StoredRecord(key, hasValue, headers).text());
                assertThat(read.key()).isEqualTo(key);
                assertThat(read.hasValue()).isEqualTo(hasValue);
                assertThat(read.headers()).isEqualTo(headers);
            }
        }
    }

    @Test
    void formatStays() {
        StoredRecord record = new StoredRecord(new byte[] {7}, false, List.of(new RecordHeader("h", new byte[] {9})));
        assertThat(record.text()).as("is stored, and must never change").isEqualTo("AQEAAAABBwAAAAEAAAABaAAAAAEJ");
        assertThat(new StoredRecord(null, true, List.of()).text()).isEqualTo("AQD_____AAAAAA");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "!",
                "AQ",
                "AgD_____AAAAAA",
                "AQL_____AAAAAA",
                "AQD____-AAAAAA",
                "AQD_____AAAAAQ",
                "AQD_____f____w",
                "AQD_____AAAAAAA",
                "AQD_____AAAAAA==",
                "AQB_____AAAAAA"
            })
    void whatWasNotWrittenIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StoredRecord.parse(text))
                .withMessage("must be a record as the source for Kafka writes it");
    }
}
