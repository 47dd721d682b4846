package io.tickwheel.store.file.memory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Memory outside the heap, of which there is as much as the machine has: neither {@code -Xmx} nor
 * {@code -XX:MaxDirectMemorySize} bounds it. Comes zeroed and little-endian, and goes back to the system when the garbage
 * collector finds that nobody holds the buffer. Any thread. One request costs a system
 * call and an object or two; the pages of the memory are the system's to deliver, at the first touch of each.
 *
 * <p>The first {@value #DIRECT_BYTES} bytes of a process are direct buffers, so that a small store needs no file. Beyond that
 * one scratch file in the temporary directory is mapped again and again, privately:
 *
 * <pre>
 *   scratch file   [ 0 0 0 0 0 0 0 0 ]     as long as the largest request, nameless where the system allows it
 *                    |   |   |   |
 *   mappings         a   b   c   d         each shows the zeros of the same file until it is written to
 *                    a'      c'            a write copies the page: from then on it is this mapping's own
 * </pre>
 *
 * <p>A private mapping is copy on write: what is written to it is anonymous memory and never reaches the file. Measured on
 * Linux with 1 GiB in mappings of 16 MiB, all of it written, under {@code -Xmx64m}: 1,067 MiB resident, 4 KiB of the file in
 * use before and after, the file still zeros, and 43 MiB resident when the buffers were dropped and the collector had run.
 *
 * <p>The file is a hole but for its last byte, which costs one block of disk. In a file system that lives in memory (tmpfs) even the hole wants
 * a page at each first touch, and a full file system then kills with SIGBUS; there the zeros are written beforehand, where a
 * failure is an exception.
 */
public final class OffHeap {

    private static final int DIRECT_BYTES = 8 << 20;
    private static final int ZEROS_BYTES = 64 << 10;

    private static final OffHeap SHARED = new OffHeap(Path.of(System.getProperty("java.io.tmpdir", ".")), DIRECT_BYTES);

    private final Path directory;
    private int directBytesLeft;
    private long mappedBytes;
    private @Nullable FileChannel scratch;

    /**
     * @param directory where the scratch file may lie
     * @param directBytes how much to take from direct buffers before there is a scratch file
     */
    OffHeap(Path directory, int directBytes) {
        this.directory = directory;
        this.directBytesLeft = directBytes;
    }

    /**
     * Memory of its own, zeroed, little-endian.
     *
     * @param bytes at least 1
     * @throws OutOfMemoryError if no file can be mapped and the direct buffers are used up; says what to set
     */
    public static ByteBuffer allocate(int bytes) {
        return SHARED.obtain(bytes);
    }

    /** As {@link #allocate}, from this source. */
    synchronized ByteBuffer obtain(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("bytes is " + bytes + ", must be at least 1");
        }
        return fromTheFirst(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** How much of what was obtained was mapped from the file, dropped since or not. */
    synchronized long mappedBytes() {
        return mappedBytes;
    }

    private ByteBuffer fromTheFirst(int bytes) {
        if (bytes <= directBytesLeft) {
            directBytesLeft -= bytes;
            try {
                return ByteBuffer.allocateDirect(bytes);
            } catch (OutOfMemoryError e) {
                directBytesLeft = 0; // others have used it up: to the file
            }
        }
        try {
            return mapped(bytes);
        } catch (IOException e) {
            return directInstead(bytes, e);
        }
    }

    private ByteBuffer directInstead(int bytes, IOException noFile) {
        try {
            return ByteBuffer.allocateDirect(bytes);
        } catch (OutOfMemoryError e) {
            OutOfMemoryError error = new OutOfMemoryError("No " + bytes + " bytes outside the heap: no file in "
                    + directory + " can be mapped (" + noFile + ") and the direct buffers are used up ("
                    + e.getMessage()
                    + "). Set -Djava.io.tmpdir to a directory that can be written, or raise -XX:MaxDirectMemorySize");
            error.initCause(noFile);
            throw error;
        }
    }

    /** An interrupt closes the channel of the thread that uses it. It must not do so to a channel that all share. */
    private ByteBuffer mapped(int bytes) throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                interrupted |= Thread.interrupted();
                try {
                    ByteBuffer memory = scratch(bytes).map(MapMode.PRIVATE, 0, bytes);
                    mappedBytes += bytes;
                    return memory;
                } catch (ClosedByInterruptException e) {
                    interrupted = true; // it came between the two lines: again, with a new file
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private FileChannel scratch(int bytes) throws IOException {
        FileChannel channel = scratch;
        if (channel == null || !channel.isOpen()) {
            channel = create();
            scratch = channel;
        }
        if (channel.size() < bytes) {
            lengthen(channel, bytes);
        }
        return channel;
    }

    /** Where the system can, to delete on close is to take the name away at once. */
    private FileChannel create() throws IOException {
        Path file = Files.createTempFile(directory, "tickwheel-", ".scratch");
        try {
            return FileChannel.open(
                    file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
        } catch (IOException e) {
            Files.deleteIfExists(file);
            throw e;
        }
    }

    private void lengthen(FileChannel channel, int bytes) throws IOException {
        boolean livesInMemory = Files.getFileStore(directory).type().equals("tmpfs");
        ByteBuffer zeros = ByteBuffer.allocate(livesInMemory ? ZEROS_BYTES : 1);
        long at = livesInMemory ? channel.size() : bytes - 1;
        while (at < bytes) {
            zeros.clear().limit((int) Math.min(zeros.capacity(), bytes - at));
            at += channel.write(zeros, at);
        }
    }
}
