package io.tickwheel.engine.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.TimerKey;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** The ids of leases say whose they are. */
class LeaseIdTest {

    private static final String ID =
            "tmr_1hgan0e7jftgh_1.2.9f86d081884c7d65.2c26b46b68ffc68f.dGh1bWJuYWlscwBpbWFnZS00Mg";

    private static final LeaseId READ = new LeaseId(
            new TimerKey("thumbnails", "image-42"), "tmr_1hgan0e7jftgh_1", 2, 0x9f86d081884c7d65L, 0x2c26b46b68ffc68fL);

    @Test
    void idIsWrittenAsDocumented() {
        assertThat(READ).hasToString(ID);
        assertThat(LeaseId.read(ID)).isEqualTo(READ);
    }

    @Test
    void anyKeyIsReadBack() {
        for (String key : List.of("a.b/c?d", "k\u001f17", "\u00e4\u4e16\ud83d\ude00", "a b", "-", "x".repeat(512))) {
            LeaseId id = new LeaseId(new TimerKey("q.1", key), "tmr_1", 65_535, 0, -1);
            assertThat(id.toString()).matches("[A-Za-z0-9_.-]+");
            assertThat(LeaseId.read(id.toString())).isEqualTo(id);
        }
    }

    @Test
    void whatIsWrittenInAnotherWayIsNoId() {
        for (String text : List.of(
                "",
                "x",
                "....",
                // Of a version before.
                "tmr_1hgan0e7jftgh_1.9f86d081884c7d65",
                ID + ".",
                ID + "==",
                ID.toUpperCase(Locale.ROOT),
                ID.replace(".2.", ".0."),
                ID.replace(".2.", ".-2."),
                ID.replace(".2.", ".02."),
                ID.replace(".2.", ".99999999999."),
                ID.replace("9f86d", "9F86D"),
                ID.replace("9f86d", "f86d"),
                // Bits behind the last byte, and a name without a zero.
                ID.replace("0Mg", "0Mh"),
                "t.1.9f86d081884c7d65.2c26b46b68ffc68f.eA")) {
            assertThat(LeaseId.read(text)).as(text).isNull();
        }
    }
}
