package io.tickwheel.server.files;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A temporary file whose name is deleted as soon as it is open: what it had is gone with the process, however that ends. For one
 * thread, which writes first and reads then, as often as it likes.
 */
public final class NamelessFile implements AutoCloseable {

    private final FileChannel channel;

    private NamelessFile(FileChannel channel) {
        this.channel = channel;
    }

    /** Makes a file that has a name still. */
    public interface Named {

        Path make() throws IOException;
    }

    /** A file where the system has temporary ones, which only its user may read. */
    public static Path named() throws IOException {
        return Files.createTempFile("tickwheel-import", ".ndjson");
    }

    public static NamelessFile of(Named named) throws IOException {
        Path made = named.make();
        try {
            return new NamelessFile(FileChannel.open(made, StandardOpenOption.READ, StandardOpenOption.WRITE));
        } finally {
            Files.deleteIfExists(made);
        }
    }

    /** Writes behind what was written. */
    public OutputStream write() {
        return Channels.newOutputStream(channel);
    }

    /** Reads from the first byte on. To close this leaves the file as it is. */
    public InputStream read() throws IOException {
        channel.position(0);
        return new FilterInputStream(Channels.newInputStream(channel)) {

            @Override
            public void close() {}
        };
    }

    public long size() throws IOException {
        return channel.size();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
