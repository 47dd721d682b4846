package io.tickwheel.server;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The standard output of the process, which remembers why something could not be written: a {@link PrintStream} would keep that to itself, and a command whose output
 * is cut off would end as one that is done. What follows is tried again, as a server goes on when its disk has room again. A {@link PrintStream} before it lets one thread at a time in.
 */
@SuppressForbidden(reason = "the bootstrap: this is the only place that opens the standard output")
final class StandardOutput extends OutputStream {

    /** The bits of a file's mode that say what it is: a pipe, or a socket. */
    private static final int KIND = 0170000;

    private static final int PIPE = 0010000;
    private static final int SOCKET = 0140000;

    private final OutputStream descriptor = new FileOutputStream(FileDescriptor.out);
    private @Nullable IOException failure;

    private StandardOutput() {}

    /** Opens it, and has {@link System#out} write to it, in the encoding that this had before. */
    static StandardOutput install() {
        StandardOutput output = new StandardOutput();
        String encoding = System.getProperty("stdout.encoding", System.getProperty("sun.stdout.encoding"));
        Charset charset = encoding == null ? Charset.defaultCharset() : Charset.forName(encoding);
        System.setOut(new PrintStream(output, true, charset));
        return output;
    }

    /** Why not all that was printed is there; null when it is, or nobody reads it any more. */
    @Nullable
    String complaint() {
        return failure == null || isStream() ? null : "the standard output cannot be written: " + failure.getMessage();
    }

    /**
     * Whether somebody reads the output as it comes: then it can fail for one reason only, that he has gone, as {@code head} does when it has its lines. What the
     * operating system says of it is in whatever language it speaks.
     */
    private static boolean isStream() {
        try {
            int kind = (Integer) Files.getAttribute(Path.of("/dev/fd/1"), "unix:mode") & KIND;
            return kind == PIPE || kind == SOCKET;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            // A system without such files: that there is one complaint too many harms nobody.
            return false;
        }
    }

    /** Whether all that was printed was taken. */
    boolean isWhole() {
        return failure == null;
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        try {
            descriptor.write(bytes, from, length);
        } catch (IOException e) {
            if (failure == null) {
                failure = e;
            }
            throw e;
        }
    }
}
