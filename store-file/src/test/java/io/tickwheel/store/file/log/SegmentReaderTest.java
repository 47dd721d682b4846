package io.tickwheel.store.file.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.file.run.RunFormat;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The same as a reader that has all of the file in memory, through a window that is too small for much of it. */
class SegmentReaderTest {

    private static final int WINDOW_BYTES = 1_024;
    private static final long IDENTITY = 77;

    private final SplittableRandom random = new SplittableRandom(3);
    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final Path file = disk.path("/segment");

    private ByteBuffer someFrames() {
        ByteBuffer frames = ByteBuffer.allocate(60_000).order(ByteOrder.LITTLE_ENDIAN);
        FrameBuffer buffer = new FrameBuffer();
        while (frames.position() < 40_000) {
            buffer.clear();
            for (int left = random.nextInt(6); left > 0; left--) {
                byte[] record = new byte[1 + random.nextInt(random.nextInt(8) == 0 ? 3_000 : 300)];
                Arrays.fill(record, (byte) (1 + random.nextInt(100)));
                buffer.record(record.length).put(record);
            }
            frames.put(buffer.seal(1, frames.position(), 0, IDENTITY));
        }
        return frames.position(frames.position() + random.nextInt(600)).flip();
    }

    private SegmentReader open(ByteBuffer content) throws IOException {
        if (!Files.exists(file)) {
            Files.createFile(file);
        }
        byte[] bytes = new byte[content.limit()];
        content.get(0, bytes);
        disk.damage(file, bytes);
        SegmentReader reader = new SegmentReader(WINDOW_BYTES);
        reader.open(file, FileChannel.open(file, StandardOpenOption.READ));
        assertThat(reader.bytes()).isEqualTo(content.limit());
        return reader;
    }

    @Test
    void everyFrameIsFoundAndNothingElse() throws IOException {
        int found = 0;
        for (int round = 0; round < 30; round++) {
            ByteBuffer content = someFrames();
            int damaged = random.nextInt(content.limit());
            content.put(damaged, (byte) (content.get(damaged) ^ 4));
            try (SegmentReader reader = open(content)) {
                for (int offset = 0; offset < content.limit() + 1_024; offset += Frame.ALIGNMENT) {
                    Frame.Header expected = offset > content.limit() ? null : Frame.read(content, offset, IDENTITY);
                    assertThat(reader.frame(offset, IDENTITY)).isEqualTo(expected);
                    found += expected == null ? 0 : 1;
                }
                assertThat(reader.frame(0, IDENTITY + 1)).isNull();
            }
        }
        assertThat(found).isGreaterThan(300);
    }

    @Test
    void anyBytesAreFoundInAnyOrder() throws IOException {
        ByteBuffer content = someFrames();
        try (SegmentReader reader = open(content)) {
            for (int i = 0; i < 2_000; i++) {
                int offset = random.nextInt(content.limit() + 10);
                int length = 1 + random.nextInt(5_000);
                int at = reader.load(offset, length);
                if (offset + length > content.limit()) {
                    assertThat(at).isEqualTo(-1);
                } else {
                    assertThat(reader.window().slice(at, length)).isEqualTo(content.slice(offset, length));
                }
            }
        }
    }

    @Test
    void partIsCopied() throws IOException {
        ByteBuffer content = someFrames();
        Path target = disk.path("/target");
        try (SegmentReader reader = open(content);
                FileChannel out = FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            int crc = reader.copyTo(out, 30_001);
            assertThat(crc).isEqualTo(RunFormat.crc(content, 0, 30_001));
        }
        assertThat(ByteBuffer.wrap(disk.visibleBytes(target))).isEqualTo(content.slice(0, 30_001));
    }

    @Test
    void partThatIsNotThereAnyMoreIsNotCopied() throws IOException {
        ByteBuffer content = someFrames();
        try (SegmentReader reader = open(content);
                FileChannel out = FileChannel.open(
                        disk.path("/target"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            disk.truncate(file, 20_000);
            assertThatThrownBy(() -> reader.copyTo(out, 30_001))
                    .isInstanceOf(IOException.class)
                    .hasMessage("reading " + file + " failed: the file became shorter while it was read");
        }
    }
}
