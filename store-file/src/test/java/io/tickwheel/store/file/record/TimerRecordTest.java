package io.tickwheel.store.file.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tickwheel.store.ChangeCommand;
import io.tickwheel.store.Lane;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
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
                random.nextBoolean() ? History.NONE : history(random),
                random.nextBoolean() ? new byte[0] : fields(random),
                random(random, 200));
    }

    private static History history(SplittableRandom random) {
        History history = History.NONE;
        for (int count = random.nextInt(PastAttempt.REMEMBERED + 2); count > 0; count--) {
            history = history.and(History.of(attempt(random)));
        }
        return history;
    }

    private static PastAttempt attempt(SplittableRandom random) {
        return new PastAttempt(
                1 + random.nextInt(0xffff),
                random.nextLong(),
                random.nextLong(PastAttempt.MOST_LATE_MS + 1),
                random.nextLong(PastAttempt.MOST_DURATION_MS + 1),
                random.nextInt(0x10000),
                text(random, PastAttempt.MOST_REASON_BYTES),
                random.nextBoolean() ? "" : text(random, PastAttempt.MOST_EXCERPT_BYTES));
    }

    private static String text(SplittableRandom random, int most) {
        return (random.nextBoolean() ? "x" : "é").repeat(random.nextInt(most / 2 + 1));
    }

    /** Of tags that this version does not know. */
    private static byte[] fields(SplittableRandom random) {
        ByteBuffer fields = ByteBuffer.allocate(600);
        for (int count = random.nextInt(3); count > 0; count--) {
            byte[] value = random(random, 200);
            fields.put((byte) (4 + random.nextInt(252)))
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
            assertThat(read.history()).isEqualTo(record.history());
            assertThat(read.history().attempts()).isEqualTo(record.history().attempts());
            assertThat(read.again(record.seq(), 5, 6, false).history()).isEqualTo(record.history());
            assertThat(read.rerouted(record.seq(), 3).history()).isEqualTo(record.history());
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

    @Test
    void damagedAttemptIsRefused() {
        TimerRecord without = TimerRecord.scheduled(
                7, 0, 1, new ScheduleCommand(new TimerKey("q", "k"), 5, new byte[3], OnConflict.REPLACE, 0), Q, Q);
        TimerRecord record = without.remembering(History.of(new PastAttempt(1, 2, 3, 4, 5, "no")));
        assertThat(record.length()).isEqualTo(without.length() + 2 + 2 + 23);
        int fieldAt = record.length() - 3 - 23 - 2;
        assertThat(bytes(record).get(fieldAt)).isEqualTo((byte) 3);
        assertRefused(bytes(record).put(fieldAt + 1, (byte) 0), "field 3 has 0 bytes");
        assertRefused(bytes(record).put(fieldAt + 1, (byte) 24), "fields up to");
        ByteBuffer tooShort = bytes(record).put(fieldAt + 1, (byte) 20).put(fieldAt + 22, (byte) 99);
        assertRefused(tooShort.put(fieldAt + 23, (byte) 1), "an attempt has 20 bytes, must have 21 to 221");
        assertRefused(bytes(record).putShort(fieldAt + 2, (short) 0), "number is 0");
        ByteBuffer otherBytes = bytes(record).put(fieldAt + 23, (byte) -1).put(fieldAt + 24, (byte) -1);
        TimerRecord read = TimerRecord.read(otherBytes, 0, otherBytes.limit(), true);
        assertThat(read.history().attempts())
                .singleElement()
                .extracting(PastAttempt::reason)
                .isEqualTo("\ufffd\ufffd");
    }

    /** As it is drawn: the excerpt is a field of the same tag, which an earlier version takes for an attempt with the number 0. */
    @Test
    void excerptStandsBehindItsAttempt() {
        TimerRecord without = TimerRecord.scheduled(
                7, 0, 1, new ScheduleCommand(new TimerKey("q", "k"), 5, new byte[3], OnConflict.REPLACE, 0), Q, Q);
        PastAttempt past = new PastAttempt(1, 2, 3, 4, 5, "no", "ok");
        TimerRecord record = without.remembering(History.of(past));
        assertThat(record.length()).isEqualTo(without.length() + 2 + 2 + 23 + 2 + 4);
        int fieldAt = record.length() - 3 - 6 - 25;
        byte[] fields = new byte[31];
        bytes(record).get(fieldAt, fields);
        assertThat(HexFormat.of().formatHex(fields))
                .isEqualTo("0317" + "0001" + "0000000000000002" + "0000000003" + "00000004" + "0005" + "6e6f" + "0304"
                        + "0000" + "6f6b");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PastAttempt.decode(new byte[23]))
                .withMessageContaining("number is 0");
        int excerptAt = fieldAt + 25;
        ByteBuffer empty = bytes(record).put(excerptAt + 1, (byte) 2).put(excerptAt + 4, (byte) 9);
        assertRefused(empty.put(excerptAt + 5, (byte) 0), "an excerpt has 2 bytes, must have 3 to 202");
        assertRefused(bytes(record).put(fieldAt, (byte) 9), "an attempt has 4 bytes");
        assertRefused(bytes(record).putShort(fieldAt + 2, (short) 0), "number is 0");
        ByteBuffer twice = ByteBuffer.allocate(record.length() + 6).order(ByteOrder.LITTLE_ENDIAN);
        twice.put(bytes(record).flip()).put(bytes(record).slice(excerptAt, 6));
        twice.put(excerptAt + 6, bytes(record), excerptAt, 6).putShort(fieldAt - 2, (short) 37);
        assertRefused(twice, "an attempt has 4 bytes");
        ByteBuffer otherBytes = bytes(record).put(excerptAt + 4, (byte) -1).put(excerptAt + 5, (byte) -1);
        TimerRecord read = TimerRecord.read(otherBytes, 0, otherBytes.limit(), true);
        assertThat(read.history().attempts())
                .singleElement()
                .extracting(PastAttempt::excerpt)
                .isEqualTo("\ufffd\ufffd");
    }

    @Test
    void moreAttemptsThanAreRememberedAreRefused() {
        History eight = History.NONE;
        for (int i = 0; i < PastAttempt.REMEMBERED; i++) {
            eight = eight.and(History.of(new PastAttempt(1 + i, 2, 3, 4, 5, "")));
        }
        TimerRecord record = TimerRecord.scheduled(
                        7,
                        0,
                        1,
                        new ScheduleCommand(new TimerKey("q", "k"), 5, new byte[0], OnConflict.REPLACE, 0),
                        Q,
                        Q)
                .remembering(eight);
        ByteBuffer bytes = bytes(record);
        int fieldsAt = record.length() - 8 * 23 - 2;
        ByteBuffer longer = ByteBuffer.allocate(record.length() + 23).order(ByteOrder.LITTLE_ENDIAN);
        longer.put(bytes.flip()).put(bytes.slice(fieldsAt + 2, 23)).putShort(fieldsAt, (short) (9 * 23));
        assertRefused(longer, "a history has 9 attempts, must have at most 8");
    }

    private static void assertRefused(ByteBuffer bytes, String why) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TimerRecord.read(bytes, 0, bytes.capacity(), true))
                .withMessageContaining(why);
    }

    @Test
    void lastAttemptsAreKeptWhenThereAreMore() {
        History all = History.NONE;
        for (int i = 1; i <= 20; i++) {
            all = all.and(History.of(new PastAttempt(i, 2, 3, 4, 5, "-".repeat(i), i % 3 == 0 ? "" : "of " + i)));
            assertThat(all.attempts()).hasSize(Math.min(i, 8)).allSatisfy(past -> {
                int number = past.number();
                assertThat(past.reason()).hasSize(number);
                assertThat(past.excerpt()).isEqualTo(number % 3 == 0 ? "" : "of " + number);
            });
        }
        assertThat(all.attempts()).extracting(PastAttempt::number).containsExactly(13, 14, 15, 16, 17, 18, 19, 20);
        assertThat(all.and(all)).isEqualTo(all);
        assertThat(all.and(History.NONE)).isSameAs(all);
    }

    @Test
    void changedTimerIsTheSameOne() {
        SplittableRandom random = new SplittableRandom(4);
        TimerKey key = new TimerKey("q", "k");
        for (int i = 0; i < 200; i++) {
            TimerRecord old = record(random);
            TimerRecord rescheduled = old.changed(5, ChangeCommand.reschedule(key, 77));
            assertThat(rescheduled.attempts()).isEqualTo(old.attempts());
            TimerRecord redriven = old.changed(5, ChangeCommand.redrive(key, 77));
            assertThat(redriven.attempts()).isZero();
            for (TimerRecord changed : List.of(rescheduled, redriven)) {
                assertThat(changed.seq()).isEqualTo(5);
                assertThat(changed.replaces()).isEqualTo(old.seq());
                assertThat(changed.dueAtMs()).isEqualTo(changed.attemptAtMs()).isEqualTo(77);
                assertThat(changed.id()).isEqualTo(old.id());
                assertThat(changed.version()).isEqualTo(old.version());
                assertThat(changed.requestHash()).isEqualTo(old.requestHash());
                assertThat(changed.dead()).isFalse();
                assertThat(changed.route()).isEqualTo(old.route());
                assertThat(changed.timerKey()).isEqualTo(old.timerKey());
                assertThat(changed.history()).isEqualTo(old.history());
                assertThat(changed.otherFields()).isEqualTo(old.otherFields());
                assertThat(changed.content()).isEqualTo(old.content());
            }
            TimerRecord other = old.changed(5, ChangeCommand.redrive(key, 77).withContent(new byte[] {1}, 9));
            assertThat(other.content()).containsExactly(1);
            assertThat(other.route()).isEqualTo(9);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"COMPLETED", "CANCELLED", "EXPIRED", "DEAD"})
    void everyEndIsReadAsItWasWritten(TimerState state) {
        SplittableRandom random = new SplittableRandom(5);
        EndRecord plain = new EndRecord(77, state, 3, History.NONE);
        assertThat(plain.length()).isEqualTo(EndRecord.FIXED_BYTES);
        assertEndIsRead(plain);
        for (int i = 0; i < 100; i++) {
            EndRecord end = new EndRecord(77, state, 3, History.of(attempt(random)));
            ByteBuffer bytes = assertEndIsRead(end);
            for (int length = 0; length < EndRecord.FIXED_BYTES + 21; length++) {
                int cut = length;
                if (length != EndRecord.FIXED_BYTES) {
                    assertThatIllegalArgumentException().isThrownBy(() -> EndRecord.read(bytes, 0, cut));
                }
            }
        }
        EndRecord quick = new EndRecord(77, state, 3, History.of(new PastAttempt(1, 2, 3, 4, 200, "")));
        assertThat(quick.length() - plain.length()).isBetween(21, 24);
        ByteBuffer bytes = assertEndIsRead(quick);
        assertEndIsRefused(
                bytes.putShort(EndRecord.FIXED_BYTES, (short) 0), "an attempt has 0 bytes, must have 21 to 221");
        assertEndIsRefused(bytes.put(1, (byte) 5), "state 5");
        assertEndIsRefused(bytes.putLong(2, 0), "seq 0");
        assertEndIsRefused(bytes.put(0, (byte) 1), "no end");
    }

    @Test
    void endWithAnExcerptIsOneWithAHistory() {
        PastAttempt past = new PastAttempt(1, 2, 3, 4, 200, "", "ok");
        EndRecord end = new EndRecord(77, TimerState.COMPLETED, 3, History.of(past));
        ByteBuffer bytes = assertEndIsRead(end);
        String ended = "15" + "0001" + "0000000000000002" + "0000000003" + "00000004" + "00c8";
        byte[] rest = new byte[bytes.capacity() - EndRecord.FIXED_BYTES];
        bytes.get(EndRecord.FIXED_BYTES, rest);
        assertThat(HexFormat.of().formatHex(rest)).isEqualTo("0000" + ended + "04" + "0000" + "6f6b");
        for (int length = EndRecord.FIXED_BYTES + 1; length < bytes.capacity(); length++) {
            int cut = length;
            assertThatIllegalArgumentException().isThrownBy(() -> EndRecord.read(bytes, 0, cut));
        }
        byte[] alone = HexFormat.of().parseHex("0000" + ended);
        ByteBuffer without =
                ByteBuffer.allocate(EndRecord.FIXED_BYTES + alone.length).order(ByteOrder.LITTLE_ENDIAN);
        without.put(bytes.slice(0, EndRecord.FIXED_BYTES)).put(alone);
        assertEndIsRefused(without, "a history has 1 attempts and 1 pieces, must have 1 and 2");
    }

    private static ByteBuffer assertEndIsRead(EndRecord end) {
        ByteBuffer bytes = ByteBuffer.allocate(end.length()).order(ByteOrder.LITTLE_ENDIAN);
        end.write(bytes);
        assertThat(bytes.hasRemaining()).as("length").isFalse();
        assertThat(EndRecord.read(bytes, 0, end.length())).isEqualTo(end);
        return bytes;
    }

    private static void assertEndIsRefused(ByteBuffer bytes, String why) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EndRecord.read(bytes, 0, bytes.capacity()))
                .withMessageContaining(why);
    }

    @Test
    void everyOutcomeIsReadAsItWasWritten() {
        SplittableRandom random = new SplittableRandom(6);
        for (int i = 0; i < 500; i++) {
            FinishedRecord timer = new FinishedRecord(
                    TimerState.COMPLETED,
                    1 + i,
                    2,
                    3,
                    4,
                    5,
                    6,
                    random(random, 40),
                    random(random, 40),
                    history(random));
            OutcomeRecord outcome = new OutcomeRecord(timer);
            ByteBuffer bytes = ByteBuffer.allocate(outcome.length()).order(ByteOrder.LITTLE_ENDIAN);
            outcome.write(bytes);
            assertThat(OutcomeRecord.read(bytes, 0, outcome.length())).isEqualTo(outcome);
            assertThat(FinishedRecord.isOf(bytes, 1, timer.queue(), timer.key()))
                    .isTrue();
            for (int length = 0; length < outcome.length(); length++) {
                int cut = length;
                assertThatIllegalArgumentException().isThrownBy(() -> OutcomeRecord.read(bytes, 0, cut));
                ByteBuffer whole =
                        ByteBuffer.wrap(bytes.array(), 0, cut).slice().order(ByteOrder.LITTLE_ENDIAN);
                assertThatIllegalArgumentException()
                        .as("where nothing lies behind it")
                        .isThrownBy(() -> OutcomeRecord.read(whole, 0, cut));
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> OutcomeRecord.read(bytes.put(1, (byte) 4), 0, outcome.length()))
                    .withMessageContaining("unknown state 4");
        }
    }
}
