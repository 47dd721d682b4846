package io.tickwheel.store.file.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.file.ChildJvm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OffHeapTest {

    private static final int MIB = 1 << 20;

    @TempDir
    Path directory;

    @Test
    void memoryIsZeroedAndLittleEndian() {
        OffHeap offHeap = new OffHeap(directory, MIB);
        for (ByteBuffer memory : List.of(offHeap.obtain(MIB), offHeap.obtain(MIB), OffHeap.allocate(MIB))) {
            assertThat(memory.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
            assertThat(memory.capacity()).isEqualTo(MIB);
            assertThat(memory).isEqualTo(ByteBuffer.allocate(MIB));
        }
    }

    @Test
    void firstBytesAreDirectAndTheRestIsMapped() {
        OffHeap offHeap = new OffHeap(directory, 2 * MIB);
        offHeap.obtain(MIB);
        offHeap.obtain(MIB);
        assertThat(offHeap.mappedBytes()).isZero();
        offHeap.obtain(MIB);
        assertThat(offHeap.mappedBytes()).isEqualTo(MIB);
    }

    @Test
    void whatIsWrittenReachesNeitherTheFileNorAnotherMapping() {
        OffHeap offHeap = new OffHeap(directory, 0);
        ByteBuffer one = offHeap.obtain(MIB);
        ByteBuffer other = offHeap.obtain(MIB);
        fill(one, 1);
        fill(other, 2);
        assertThat(offHeap.obtain(MIB)).as("the file").isEqualTo(ByteBuffer.allocate(MIB));
        for (int at = 0; at < MIB; at += Long.BYTES) {
            assertThat(one.getLong(at)).isEqualTo(1);
            assertThat(other.getLong(at)).isEqualTo(2);
        }
    }

    @Test
    void laterRequestMayBeLarger() {
        OffHeap offHeap = new OffHeap(directory, 0);
        ByteBuffer small = offHeap.obtain(1);
        ByteBuffer large = offHeap.obtain(100 * MIB);
        large.putLong(100 * MIB - Long.BYTES, 17);
        large.put(0, (byte) 4);
        assertThat(large.getLong(100 * MIB - Long.BYTES)).isEqualTo(17);
        assertThat(small.get(0)).isZero();
    }

    @Test
    void requestOfNothingIsRefused() {
        OffHeap offHeap = new OffHeap(directory, 0);
        for (int bytes : new int[] {0, -1}) {
            assertThatThrownBy(() -> offHeap.obtain(bytes))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("bytes is " + bytes + ", must be at least 1");
        }
    }

    @Test
    void interruptedThreadGetsMappedMemoryAndStaysInterrupted() {
        OffHeap offHeap = new OffHeap(directory, 0);
        offHeap.obtain(MIB);
        Thread.currentThread().interrupt();
        try {
            offHeap.obtain(MIB);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        offHeap.obtain(MIB);
        assertThat(offHeap.mappedBytes()).isEqualTo(3 * MIB);
    }

    @Test
    void withoutAFileThereAreDirectBuffersUntilOneCanBeMade() throws IOException {
        Path later = directory.resolve("later");
        OffHeap offHeap = new OffHeap(later, 0);
        assertThat(offHeap.obtain(MIB)).isEqualTo(ByteBuffer.allocate(MIB));
        assertThat(offHeap.mappedBytes()).isZero();
        Files.createDirectory(later);
        assertThat(offHeap.obtain(MIB)).isEqualTo(ByteBuffer.allocate(MIB));
        assertThat(offHeap.mappedBytes()).isEqualTo(MIB);
    }

    @Test
    void threadsGetMemoryOfTheirOwn() throws InterruptedException {
        OffHeap offHeap = new OffHeap(directory, MIB);
        List<Thread> threads = new ArrayList<>();
        List<List<ByteBuffer>> memories = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            List<ByteBuffer> mine = new ArrayList<>();
            memories.add(mine);
            int mark = i;
            threads.add(new Thread(() -> {
                for (int k = 0; k < 100; k++) {
                    ByteBuffer memory = offHeap.obtain(64 << 10);
                    memory.putLong(0, mark);
                    mine.add(memory);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(offHeap.mappedBytes()).isEqualTo(400 * (64 << 10) - MIB);
        for (int i = 0; i < 4; i++) {
            assertThat(memories.get(i)).hasSize(100);
            for (ByteBuffer memory : memories.get(i)) {
                assertThat(memory.getLong(0)).isEqualTo(i);
            }
        }
    }

    @Test
    void threadsWaitForEachOther() throws InterruptedException {
        OffHeap offHeap = new OffHeap(directory, MIB);
        Thread other = new Thread(() -> offHeap.obtain(1));
        synchronized (offHeap) {
            other.start();
            while (other.getState() != Thread.State.BLOCKED) {
                assertThat(other.getState()).isNotEqualTo(Thread.State.TERMINATED);
                Thread.onSpinWait();
            }
        }
        other.join();
    }

    @Test
    void smallHeapHasAGibibyteBesideIt() throws Exception {
        assertThat(child(directory, "-Xmx64m")).isEqualTo("has 1024 MiB\n");
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void errorSaysWhatToSet() throws Exception {
        Path missing = directory.resolve("missing");
        assertThat(child(missing, "-Xmx64m"))
                .contains("No 16777216 bytes outside the heap: no file in " + missing)
                .contains("NoSuchFileException")
                .contains("Set -Djava.io.tmpdir to a directory that can be written, or raise -XX:MaxDirectMemorySize");
    }

    /** What {@link SmallHeap} prints in a process of its own. */
    private static String child(Path temporary, String option) throws IOException, InterruptedException {
        return ChildJvm.run(SmallHeap.class, List.of(option, "-Djava.io.tmpdir=" + temporary));
    }

    private static void fill(ByteBuffer memory, long value) {
        for (int at = 0; at < memory.capacity(); at += Long.BYTES) {
            memory.putLong(at, value);
        }
    }

    /** Takes 1 GiB, and writes and reads back a mark in each MiB of it. */
    static final class SmallHeap {

        private SmallHeap() {}

        public static void main(String[] arguments) {
            List<ByteBuffer> memories = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                ByteBuffer memory = OffHeap.allocate(16 * MIB);
                for (int at = 0; at < memory.capacity(); at += MIB) {
                    memory.putLong(at, (long) i * 16 * MIB + at);
                }
                memories.add(memory);
            }
            long marks = 0;
            for (ByteBuffer memory : memories) {
                for (int at = 0; at < memory.capacity(); at += MIB) {
                    marks += memory.getLong(at) == marks * MIB ? 1 : 0;
                }
            }
            System.out.print("has " + marks + " MiB\n");
        }
    }
}
