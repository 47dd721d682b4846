package io.tickwheel.store.redis.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

final class TimerRecordTest {

    private static final PastAttempt FIRST = new PastAttempt(1, 2, 3, 4, 503, "answered 503");
    private static final PastAttempt SECOND = new PastAttempt(2, 3, 4, 5, 200, "");

    /** A pending timer, with those optional fields. */
    private static ByteBuffer record(int previous, byte[]... fields) {
        int length = 0;
        for (byte[] field : fields) {
            length += field.length;
        }
        ByteBuffer record = ByteBuffer.allocate(32 + length + 1)
                .put((byte) (1 << 7 | previous << 3))
                .putInt(1)
                .putLong(7)
                .put(new byte[7 + 8])
                .putShort((short) 2)
                .putShort((short) length);
        for (byte[] field : fields) {
            record.put(field);
        }
        return record.put((byte) 'c').flip();
    }

    private static byte[] field(int tag, byte... value) {
        return ByteBuffer.allocate(2 + value.length)
                .put((byte) tag)
                .put((byte) value.length)
                .put(value)
                .array();
    }

    @Test
    void attemptsAreReadInTheirOrderWhateverStandsBetweenThem() {
        TimerRecord read = TimerRecord.read(record(
                1,
                field(3, FIRST.encode()),
                field(2, (byte) 0, (byte) 0, (byte) 0, (byte) 9),
                field(99, (byte) 1),
                field(3, SECOND.encode()),
                field(1, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 5)));
        assertThat(read.history()).containsExactly(FIRST, SECOND);
        assertThat(read.view(new TimerKey("q", "k"), 0).history()).containsExactly(FIRST, SECOND);
        assertThat(read.state()).isEqualTo(TimerState.PENDING);
        assertThat(read.route()).isEqualTo(9);
        assertThat(read.dueAtMs()).isEqualTo(5);
        assertThat(read.previous()).isEqualTo(1);
        assertThat(read.content()).containsExactly('c');
    }

    /** To an earlier version it is an attempt with the number 0, which is none. */
    @Test
    void excerptStandsRightBehindItsAttempt() {
        byte[] excerpt = {0, 0, 'o', 'k'};
        TimerRecord read = TimerRecord.read(record(
                1,
                field(3, FIRST.encode()),
                field(3, SECOND.encode()),
                field(3, excerpt),
                field(2, (byte) 0, (byte) 0, (byte) 0, (byte) 9)));
        assertThat(read.history()).containsExactly(FIRST, new PastAttempt(2, 3, 4, 5, 200, "", "ok"));
        assertThatIllegalArgumentException().isThrownBy(() -> TimerRecord.read(record(0, field(3, excerpt))));
        byte[] attempt = field(3, FIRST.encode());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TimerRecord.read(record(0, attempt, field(3, excerpt), field(3, excerpt))))
                .withMessage("an attempt has two excerpts of its answer");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TimerRecord.read(record(0, attempt, field(3, (byte) 0, (byte) 0))))
                .withMessage("an excerpt of an answer is empty");
        byte[] longest = new byte[2 + PastAttempt.MOST_EXCERPT_BYTES + 1];
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TimerRecord.read(record(0, attempt, field(3, longest))))
                .withMessage("bytes of the excerpt is 201, must be 0 to 200");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PastAttempt.decode(new byte[30]))
                .withMessage("number is 0, must be 1 to 65535");
    }

    @Test
    void deadTimerThatStoodBeforeIsToldFromNone() {
        assertThat(TimerRecord.read(record(0)).previous()).isZero();
        assertThat(TimerRecord.read(record(3)).previous()).isEqualTo(3);
        assertThat(TimerRecord.read(record(0, field(4, (byte) 4))).previous()).isEqualTo(4);
    }

    /** A record without optional fields, and with the token of a claim. */
    private static TimerRecord withFlags(int flags) {
        return TimerRecord.read(ByteBuffer.allocate(40)
                .put((byte) flags)
                .putInt(1)
                .putLong(7)
                .put(new byte[] {1, 2, 3, 4, 5, 6, 7})
                .putLong(0)
                .putShort((short) 2)
                .putLong(77)
                .putShort((short) 0)
                .flip());
    }

    @Test
    void claimedTimerIsToldFromOneWhoseLastAttemptRuns() {
        TimerRecord claimed = withFlags(1);
        assertThat(claimed.state()).isEqualTo(TimerState.CLAIMED);
        assertThat(claimed.ending()).isFalse();
        assertThat(claimed.isLive()).isTrue();
        assertThat(claimed.token()).isEqualTo(77);
        assertThat(claimed.seq()).isEqualTo(0x01020304050607L);
        TimerRecord ending = withFlags(6);
        assertThat(ending.state()).isEqualTo(TimerState.CLAIMED);
        assertThat(ending.ending()).isTrue();
        assertThat(ending.isLive()).isFalse();
    }

    @Test
    void recordTellsItsSlice() {
        assertThat(withFlags(1).slice()).isEqualTo("n0");
        assertThat(withFlags(1 | 1 << 6).slice()).isEqualTo("f0");
    }

    @Test
    void whatIsNoAttemptIsNoRecord() {
        assertThatIllegalArgumentException().isThrownBy(() -> TimerRecord.read(record(0, field(3, new byte[20]))));
        assertThatIllegalArgumentException().isThrownBy(() -> TimerRecord.read(record(0, field(4))));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TimerRecord.read(record(0, field(4, (byte) 4, (byte) 4))));
    }

    @Test
    void largestNumbersAreReadAsTheyWereWritten() {
        byte most = (byte) 0xff;
        ByteBuffer bytes = record(0, field(2, most, most, most, most));
        bytes.putInt(1, -1).putShort(28, (short) -1);
        TimerRecord read = TimerRecord.read(bytes);
        assertThat(read.version()).isEqualTo(0xffff_ffffL);
        assertThat(read.attempts()).isEqualTo(0xffff);
        assertThat(read.route()).isEqualTo(0xffff_ffffL);
    }
}
