package io.tickwheel.store.file.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tickwheel.store.Lane;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TimerRecordTest {

    private static final byte[] Q = {'q'};

    private static ByteBuffer bytes(TimerRecord record) {
        ByteBuffer bytes = ByteBuffer.allocate(record.length()).order(ByteOrder.LITTLE_ENDIAN);
        record.write(bytes);
        assertThat(bytes.hasRemaining()).as("length").isFalse();
        return bytes;
    }

    private static byte[] random(SplittableRandom random, int atMost) {
        byte[] bytes = new byte[random.nextInt(atMost)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static TimerRecord record(SplittableRandom random) {
        long seq = 1 + random.nextLong(Long.MAX_VALUE - 1);
        long attemptAtMs = random.nextLong();
        return new TimerRecord(
                seq,
                attemptAtMs,
                random.nextBoolean() ? attemptAtMs : random.nextLong(),
                random.nextBoolean() ? 0 : random.nextLong(),
                random.nextBoolean() ? seq : random.nextLong(),
                random.nextBoolean() ? 1 : random.nextLong(),
                random.nextBoolean() ? 0 : random.nextInt(),
                random.nextBoolean() ? 0 : random.nextLong(),
                random.nextBoolean(),
                random.nextBoolean() ? Lane.QUEUE_ROUTE : random.nextLong(-1, Lane.MAX_ROUTE + 1),
                random(random, 40),
                random(random, 40),
                random.nextBoolean() ? new byte[0] : fields(random),
                random(random, 200));
    }

    /** Of tags that this version does not know. */
    private static byte[] fields(SplittableRandom random) {
        ByteBuffer fields = ByteBuffer.allocate(600);
        for (int count = random.nextInt(3); count > 0; count--) {
            byte[] value = random(random, 200);
            fields.put((byte) (3 + random.nextInt(253)))
                    .put((byte) value.length)
                    .put(value);
        }
        return Arrays.copyOf(fields.array(), fields.position());
    }

    @Test
    void everyRecordIsReadAsItWasWritten() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 5_000; i++) {
            TimerRecord record = record(random);
            ByteBuffer bytes = bytes(record);
            TimerRecord read = TimerRecord.read(bytes, 0, bytes.limit(), true);
            assertThat(read).isEqualTo(record);
            assertThat(read.seq()).isEqualTo(record.seq());
            assertThat(read.attemptAtMs()).isEqualTo(record.attemptAtMs());
            assertThat(read.dueAtMs()).isEqualTo(record.dueAtMs());
            assertThat(read.route()).isEqualTo(record.route());
            assertThat(read.otherFields()).isEqualTo(record.otherFields());
            assertThat(read.again(record.seq(), 5, 6, false).otherFields()).isEqualTo(record.otherFields());
            assertThat(read.replaces()).isEqualTo(record.replaces());
            assertThat(read.id()).isEqualTo(record.id());
            assertThat(read.version()).isEqualTo(record.version());
            assertThat(read.attempts()).isEqualTo(record.attempts());
            assertThat(read.requestHash()).isEqualTo(record.requestHash());
            assertThat(read.dead()).isEqualTo(record.dead());
            assertThat(read.content()).isEqualTo(record.content());
            assertThat(TimerRecord.read(bytes, 0, bytes.limit(), false).content())
                    .isEmpty();
            assertThat(TimerRecord.isOf(bytes, 0, record.queue(), record.key())).isTrue();
            byte[] other = record.key().clone();
            if (other.length > 0) {
                other[other.length - 1]++;
                assertThat(TimerRecord.isOf(bytes, 0, record.queue(), other)).isFalse();
            }
        }
    }

    @Test
    void recordThatIsCutBehindItsContentIsRefused() {
        SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < 200; i++) {
            TimerRecord record = record(random);
            ByteBuffer bytes = bytes(record);
            int names = record.length() - record.content().length;
            for (int length = 0; length < names; length++) {
                int cut = length;
                assertThatIllegalArgumentException().isThrownBy(() -> TimerRecord.read(bytes, 0, cut, true));
            }
        }
    }

    @Test
    void otherTypesFlagsAndSeqsAreRefused() {
        TimerRecord record = record(new SplittableRandom(3));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TimerRecord.read(bytes(record).put(0, (byte) 2), 0, record.length(), true));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TimerRecord.read(bytes(record).put(1, (byte) 128), 0, record.length(), true))
                .withMessageContaining("flags");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TimerRecord.read(bytes(record).putLong(2, 0), 0, record.length(), true))
                .withMessageContaining("seq 0");
    }

    @Test
    void recordsOfBeforeThereWereFieldsHaveARouteThatIsNotKnown() {
        TimerRecord record = TimerRecord.scheduled(
                7, 0, 1, new ScheduleCommand(new TimerKey("q", "k"), 5, new byte[3], OnConflict.REPLACE, 0), Q, Q);
        ByteBuffer bytes = bytes(record).put(0, TimerRecord.OLD_TYPE);
        TimerRecord read = TimerRecord.read(bytes, 0, bytes.limit(), true);
        assertThat(read.route()).isEqualTo(Lane.UNKNOWN_ROUTE);
        assertThat(read.dueAtMs()).isEqualTo(read.attemptAtMs()).isEqualTo(5);
        TimerRecord retried = read.again(8, 9, 1, false);
        TimerRecord again = TimerRecord.read(bytes(retried), 0, retried.length(), true);
        assertThat(again.route()).isEqualTo(Lane.UNKNOWN_ROUTE);
        assertThat(again.dueAtMs()).isEqualTo(5);
        assertThat(again.attemptAtMs()).isEqualTo(9);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TimerRecord.read(bytes.put(1, (byte) 64), 0, bytes.limit(), true))
                .withMessageContaining("flags 64");
    }

    @Test
    void fieldsThatDoNotFitAreRefused() {
        TimerRecord record = TimerRecord.scheduled(
                7,
                0,
                1,
                new ScheduleCommand(new TimerKey("q", "k"), 5, new byte[3], 9, OnConflict.REPLACE, 0, null),
                Q,
                Q);
        int fieldsAt = record.length() - 3 - 6 - 2;
        ByteBuffer bytes = bytes(record);
        assertThat(bytes.getShort(fieldsAt)).isEqualTo((short) 6);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TimerRecord.read(
                        bytes.duplicate().order(bytes.order()).putShort(fieldsAt, (short) 60), 0, bytes.limit(), true));
        bytes.putShort(fieldsAt, (short) 6).put(fieldsAt + 3, (byte) 3);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TimerRecord.read(bytes, 0, bytes.limit(), true))
                .withMessageContaining("field 2 has 3 bytes");
        bytes.put(fieldsAt + 3, (byte) 5);
        assertThatIllegalArgumentException().isThrownBy(() -> TimerRecord.read(bytes, 0, bytes.limit(), true));
    }

    @ParameterizedTest
    @EnumSource(names = {"COMPLETED", "CANCELLED", "EXPIRED"})
    void everyEndIsReadAsItWasWritten(TimerState state) {
        EndRecord end = new EndRecord(77, state, 3);
        ByteBuffer bytes = ByteBuffer.allocate(EndRecord.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        end.write(bytes);
        assertThat(EndRecord.read(bytes, 0, EndRecord.BYTES)).isEqualTo(end);
        assertThatIllegalArgumentException().isThrownBy(() -> EndRecord.read(bytes, 0, EndRecord.BYTES - 1));
        assertThatIllegalArgumentException().isThrownBy(() -> EndRecord.read(bytes.putLong(2, 0), 0, EndRecord.BYTES));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EndRecord.read(bytes.putLong(2, 1).put(1, (byte) 4), 0, EndRecord.BYTES))
                .withMessageContaining("state 4");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EndRecord.read(bytes.put(0, (byte) 1), 0, EndRecord.BYTES));
    }
}
