package io.tickwheel.store.file.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.file.ChildJvm;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

class FrameTest {

    private static final long STORE = 0x1234_5678_9abc_def0L;

    private final FrameBuffer buffer = new FrameBuffer();

    private ByteBuffer frame(int... recordBytes) {
        buffer.clear();
        for (int bytes : recordBytes) {
            buffer.record(bytes).put(new byte[bytes]);
        }
        return copy(buffer.seal(3, 4_096, 4_000, STORE));
    }

    private static ByteBuffer copy(ByteBuffer bytes) {
        return ByteBuffer.allocate(bytes.remaining())
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(bytes.duplicate())
                .flip();
    }

    @Test
    void sealedFrameIsReadBack() {
        ByteBuffer frame = frame(10, 20);
        assertThat(Frame.read(frame, 0, STORE)).isEqualTo(new Frame.Header(3, 4_096, 4_000, frame.limit(), 2));
    }

    @Test
    void memoryOfALargeRecordIsLetGo() {
        buffer.record(20 << 20).put(new byte[20 << 20]);
        assertThat(buffer.seal(3, 4_096, 4_000, STORE).capacity()).isGreaterThan(20 << 20);
        buffer.clear();
        buffer.record(10).put(new byte[10]);
        assertThat(buffer.seal(3, 4_096, 4_000, STORE).capacity()).isLessThan(1 << 20);
    }

    @Test
    void framesAreAlignedAndSoIsTheNextOne() {
        for (int bytes = 440; bytes < 500; bytes++) {
            ByteBuffer frame = frame(bytes);
            assertThat(frame.limit() % Frame.ALIGNMENT).isZero();
            assertThat(frame.limit()).isEqualTo(Frame.alignedBytes(Frame.HEADER_BYTES + Integer.BYTES + bytes));
        }
    }

    @Test
    void flippedBitIsSeenWhereverItIs() {
        ByteBuffer frame = frame(30);
        for (int bit = 0; bit < frame.limit() * Byte.SIZE; bit++) {
            ByteBuffer damaged = copy(frame);
            int at = bit / Byte.SIZE;
            damaged.put(at, (byte) (damaged.get(at) ^ (1 << (bit % Byte.SIZE))));
            assertThat(Frame.read(damaged, 0, STORE)).as("bit %d", bit).isNull();
        }
    }

    @Test
    void frameOfAnotherStoreDoesNotCount() {
        assertThat(Frame.read(frame(8), 0, STORE + 1)).isNull();
    }

    @Test
    void cutFrameDoesNotCount() {
        ByteBuffer frame = frame(30);
        for (int length = 0; length < frame.limit(); length++) {
            assertThat(Frame.read(copy(frame).limit(length), 0, STORE)).isNull();
        }
    }

    @Test
    void frameIsFoundBehindAnotherOne() {
        ByteBuffer first = frame(30);
        ByteBuffer second = frame(5);
        ByteBuffer both = ByteBuffer.allocate(first.limit() + second.limit()).order(ByteOrder.LITTLE_ENDIAN);
        both.put(first.duplicate()).put(second.duplicate()).flip();
        assertThat(Frame.read(both, first.limit(), STORE).count()).isEqualTo(1);
        assertThat(Frame.read(both, 8, STORE)).isNull();
    }

    @Test
    void emptyFrameIsAHeader() {
        ByteBuffer empty = Frame.empty(3, 4_096, 5_000, STORE);
        assertThat(Frame.read(empty, 0, STORE)).isEqualTo(new Frame.Header(3, 4_096, 5_000, Frame.ALIGNMENT, 0));
    }

    @Test
    void bufferGrowsForALargeRecordAndIsUsedAgain() {
        ByteBuffer large = frame(17 << 20);
        assertThat(Frame.read(large, 0, STORE).count()).isEqualTo(1);
        ByteBuffer small = frame(8);
        assertThat(buffer.isEmpty()).isFalse();
        assertThat(Frame.read(small, 0, STORE).bytes()).isEqualTo(512);
        buffer.clear();
        assertThat(buffer.isEmpty()).isTrue();
        assertThat(buffer.size()).isEqualTo(Frame.HEADER_BYTES);
    }

    @Test
    void recordsStayAsTheyAreWhenTheFrameGrows() {
        for (int i = 0; i < 1_000; i++) {
            buffer.record(Integer.BYTES + i).putInt(i).put(new byte[i]);
        }
        ByteBuffer frame = buffer.seal(3, 4_096, 4_000, STORE);
        int at = Frame.HEADER_BYTES;
        for (int i = 0; i < 1_000; i++) {
            assertThat(frame.getInt(at)).isEqualTo(Integer.BYTES + i);
            assertThat(frame.getInt(at + Integer.BYTES)).isEqualTo(i);
            at += 2 * Integer.BYTES + i;
        }
        assertThat(Frame.read(frame, 0, STORE)).isNotNull();
    }

    @Test
    void frameMayBeLargerThanTheHeap() throws Exception {
        assertThat(ChildJvm.run(LargeFrame.class, List.of("-Xmx64m"))).isEqualTo("100 records in 104858112 bytes\n");
    }

    /** Fills a frame that no direct buffer would take in that heap. */
    static final class LargeFrame {

        private LargeFrame() {}

        public static void main(String[] arguments) {
            FrameBuffer frame = new FrameBuffer();
            byte[] record = new byte[1 << 20];
            for (int i = 0; i < 100; i++) {
                frame.record(record.length).put(record);
            }
            int bytes = frame.seal(1, 0, 0, STORE).limit();
            System.out.print(frame.count() + " records in " + bytes + " bytes\n");
        }
    }
}
