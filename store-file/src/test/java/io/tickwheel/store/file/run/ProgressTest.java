package io.tickwheel.store.file.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.memory.ChunkPool;
import io.tickwheel.store.file.memory.RecordQueue;
import io.tickwheel.store.file.record.FinishedRecord;
import io.tickwheel.store.file.record.History;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ProgressTest {

    private static final long STORE = 0x1234_5678_9abc_def0L;
    private static final int GENERATION = 7;
    private static final int FORMAT_AT = 8;
    private static final int RUNS_AT = 32;
    private static final int FINISHED_AT = 36;
    private static final int FIRST_RUN_AT = 40;
    private static final int WORDS_AT = FIRST_RUN_AT + 12;

    /** In a finished timer. */
    private static final int ATTEMPT_AT = 25;

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final DataDirectory directory;

    ProgressTest() throws IOException {
        directory = DataDirectory.make(disk.path("/data"));
    }

    private static FinishedRecord finished(int number, int keyBytes) {
        TimerState[] states = {TimerState.COMPLETED, TimerState.CANCELLED, TimerState.EXPIRED};
        byte[] queue = ("queue-" + number % 7).getBytes(StandardCharsets.UTF_8);
        byte[] key = new byte[keyBytes];
        return new FinishedRecord(states[number % 3], number, 2, -3, 4, 5, number * 6L, queue, key, History.NONE);
    }

    private static FinishedRecord withAttempts(FinishedRecord one, int count, String reason) {
        FinishedRecord with = one;
        for (int number = 1; number <= count; number++) {
            String excerpt = number % 3 == 0 ? reason : "";
            with = with.with(with.state(), 5, History.of(new PastAttempt(number, -7, 1, 2, 3, reason, excerpt)));
        }
        return with;
    }

    private static RecordQueue queue(List<FinishedRecord> records) {
        RecordQueue queue = new RecordQueue(new ChunkPool());
        for (FinishedRecord record : records) {
            long at = queue.add(record.length());
            record.write(queue.chunk(at), queue.offset(at));
        }
        return queue;
    }

    private static List<FinishedRecord> list(RecordQueue queue) {
        List<FinishedRecord> records = new ArrayList<>();
        for (long at = queue.first(); at < queue.end(); at = queue.next(at)) {
            records.add(FinishedRecord.read(queue.chunk(at), queue.offset(at)));
        }
        return records;
    }

    private Progress read() throws IOException {
        return Progress.read(directory, STORE, GENERATION);
    }

    private byte[] bytes() {
        return disk.visibleBytes(directory.progress(GENERATION));
    }

    /** Sets the checksum right, so that what is behind it is reached. */
    private void replace(byte[] file) {
        ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(file.length - Integer.BYTES, RunFormat.crc(bytes, 0, file.length - Integer.BYTES));
        disk.damage(directory.progress(GENERATION), file);
    }

    @Test
    void everythingIsReadAsItWasWritten() throws IOException {
        SplittableRandom random = new SplittableRandom(3);
        List<Progress.RunProgress> runs = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            BitSet ended = new BitSet();
            for (int bit = 0; bit < i * 300_000; bit += 1 + random.nextInt(20)) {
                ended.set(bit);
            }
            runs.add(new Progress.RunProgress(i + 1, i * 300_000 + 1, ended));
        }
        List<FinishedRecord> finished = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            // Larger than a piece of the file now and then, and the longest there is.
            int keyBytes = i % 500 == 7 ? TimerRecord.MAX_NAME_BYTES : random.nextInt(600);
            finished.add(withAttempts(
                    finished(i, keyBytes), random.nextInt(PastAttempt.REMEMBERED + 2), "-".repeat(i % 200)));
        }
        new Progress(runs, queue(finished)).write(directory, STORE, GENERATION);
        Progress read = read();
        assertThat(read.runs()).isEqualTo(runs);
        assertThat(list(read.finished())).isEqualTo(finished);
        assertThat(disk.openChannels()).isEmpty();
    }

    @Test
    void nothingIsReadAsItWasWritten() throws IOException {
        Progress.of(List.of()).write(directory, STORE, GENERATION);
        assertThat(read().runs()).isEmpty();
        assertThat(read().finished().size()).isZero();
    }

    @Test
    void attemptOfAnOldFileIsTheDueTime() throws IOException {
        List<FinishedRecord> finished = List.of(finished(1, 10), finished(2, 0), finished(3, 300));
        new Progress(List.of(new Progress.RunProgress(1, 100, new BitSet())), queue(finished))
                .write(directory, STORE, GENERATION);
        ByteBuffer sound = ByteBuffer.wrap(bytes()).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer old = ByteBuffer.allocate(sound.limit() - Integer.BYTES - finished.size() * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        int epochAt = FIRST_RUN_AT + Integer.BYTES;
        int from = FIRST_RUN_AT + 16;
        old.put(sound.slice(0, epochAt)).putInt(FORMAT_AT, 2);
        old.put(sound.slice(epochAt + Integer.BYTES, from - epochAt - Integer.BYTES));
        for (FinishedRecord one : finished) {
            old.put(sound.slice(from, ATTEMPT_AT));
            int behind = from + ATTEMPT_AT + Long.BYTES;
            from += one.length();
            old.put(sound.slice(behind, from - behind));
        }
        replace(old.array());
        assertThat(list(read().finished()))
                .isEqualTo(finished.stream().map(ProgressTest::withoutAttempt).toList());
        for (int end = 0; end < old.limit() - Integer.BYTES; end++) {
            replace(Arrays.copyOf(old.array(), end + Integer.BYTES));
            assertThatThrownBy(this::read).isInstanceOf(StoreCorruptedException.class);
        }
    }

    private static FinishedRecord withoutAttempt(FinishedRecord one) {
        return new FinishedRecord(
                one.state(),
                one.id(),
                one.version(),
                one.dueAtMs(),
                one.dueAtMs(),
                one.attempts(),
                one.requestHash(),
                one.queue(),
                one.key(),
                History.NONE);
    }

    @Test
    void countsBeyondTheFileAreRefusedBeforeMemoryIsTakenForThem() throws IOException {
        BitSet ended = new BitSet();
        ended.set(70);
        new Progress(List.of(new Progress.RunProgress(1, 100, ended)), queue(List.of(finished(1, 10))))
                .write(directory, STORE, GENERATION);
        byte[] sound = bytes();
        for (int at : new int[] {RUNS_AT, FINISHED_AT, WORDS_AT}) {
            for (int count : new int[] {1_000, Integer.MAX_VALUE, Integer.MAX_VALUE / 8}) {
                byte[] file = sound.clone();
                ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).putInt(at, count);
                replace(file);
                assertRefused("cannot be read", file.length);
            }
        }
        byte[] negative = sound.clone();
        ByteBuffer.wrap(negative).order(ByteOrder.LITTLE_ENDIAN).putInt(WORDS_AT, -1);
        replace(negative);
        assertRefused("-1 words", negative.length);
    }

    @Test
    void whatIsBehindTheLastRecordIsRefused() throws IOException {
        new Progress(List.of(), queue(List.of(finished(1, 10)))).write(directory, STORE, GENERATION);
        byte[] sound = bytes();
        byte[] longer = Arrays.copyOf(sound, sound.length + 1);
        replace(longer);
        assertRefused("1 bytes are left over", longer.length);
    }

    @Test
    void lengthOfANameBeyondTheFileIsRefused() throws IOException {
        new Progress(List.of(), queue(List.of(finished(1, 10)))).write(directory, STORE, GENERATION);
        byte[] sound = bytes();
        for (int at : new int[] {45, 47}) {
            byte[] file = sound.clone();
            ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).putShort(FIRST_RUN_AT + at, (short) -1);
            replace(file);
            assertRefused("cannot be read", file.length);
        }
        byte[] stateless = sound.clone();
        stateless[FIRST_RUN_AT] = 9;
        replace(stateless);
        assertRefused("unknown state 9", stateless.length);
    }

    @Test
    void oneShortAttemptTakesNoMoreThan24Bytes() {
        FinishedRecord without = finished(1, 10);
        assertThat(withAttempts(without, 1, "").length() - without.length()).isBetween(21, 24);
    }

    @Test
    void historyThatIsNoneIsRefused() throws IOException {
        FinishedRecord one = withAttempts(finished(1, 10), 2, "");
        new Progress(List.of(), queue(List.of(one))).write(directory, STORE, GENERATION);
        byte[] sound = bytes();
        int historyAt = FIRST_RUN_AT + one.length() - 2 * 22;
        assertThat(sound[historyAt]).as("bytes of an attempt").isEqualTo((byte) 21);
        byte[] tooShort = sound.clone();
        tooShort[historyAt] = 20;
        replace(tooShort);
        assertRefused("an attempt has 20 bytes, must have 21 to 221", tooShort.length);
        byte[] tooLong = sound.clone();
        tooLong[historyAt] = 60;
        replace(tooLong);
        assertRefused("an attempt up to byte 61 of a history of 44 bytes", tooLong.length);
        byte[] withoutNumber = sound.clone();
        withoutNumber[historyAt + 1] = 0;
        withoutNumber[historyAt + 2] = 0;
        replace(withoutNumber);
        assertRefused("number is 0", withoutNumber.length);
        byte[] beyond = sound.clone();
        ByteBuffer.wrap(beyond).order(ByteOrder.LITTLE_ENDIAN).putShort(FIRST_RUN_AT + 49, (short) 45);
        replace(beyond);
        assertRefused("cannot be read", beyond.length);
        byte[] forgotten = sound.clone();
        forgotten[FIRST_RUN_AT] = 4;
        replace(forgotten);
        assertRefused("unknown state 4", forgotten.length);
    }

    @Test
    void flippedBitAndCutFileAreRefused() throws IOException {
        new Progress(List.of(new Progress.RunProgress(1, 100, new BitSet())), queue(List.of(finished(1, 10))))
                .write(directory, STORE, GENERATION);
        byte[] sound = bytes();
        for (int i = 0; i < sound.length; i++) {
            byte[] flipped = sound.clone();
            flipped[i] ^= 16;
            disk.damage(directory.progress(GENERATION), flipped);
            assertRefused("damaged", 0);
            disk.damage(directory.progress(GENERATION), Arrays.copyOf(sound, i));
            assertRefused("damaged", 0);
        }
    }

    /** Sound, but not what the manifest means: a file of somewhere or some time else, put there under that name. */
    @Test
    void progressOfAnotherStoreOrGenerationIsRefused() throws IOException {
        Progress.of(List.of()).write(directory, STORE + 1, GENERATION);
        assertRefused("not the one that the manifest names", 16);
        Progress.of(List.of()).write(directory, STORE, GENERATION - 1);
        disk.damage(directory.progress(GENERATION), disk.visibleBytes(directory.progress(GENERATION - 1)));
        assertRefused("not the one that the manifest names", 16);
    }

    private void assertRefused(String what, long mostOffset) {
        assertThatThrownBy(this::read).isInstanceOfSatisfying(StoreCorruptedException.class, refusal -> {
            assertThat(refusal.file()).isEqualTo(directory.name(directory.progress(GENERATION)));
            assertThat(refusal.offset()).isBetween(0L, mostOffset);
            assertThat(refusal.what()).contains(what);
        });
        assertThat(disk.openChannels()).isEmpty();
    }
}
