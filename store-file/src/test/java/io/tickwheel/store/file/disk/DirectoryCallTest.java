package io.tickwheel.store.file.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What an I/O error is told as. */
class DirectoryCallTest {

    private static final Path ROOT = Path.of("/data");

    private static void assertTold(IOException fault, String message) {
        assertThatThrownBy(() -> DirectoryCall.run(ROOT, () -> {
                    throw fault;
                }))
                .isInstanceOf(StoreException.class)
                .hasMessage(message)
                .hasCause(fault);
    }

    @Test
    void fileIsNamedWithTheReasonInWords() {
        assertTold(new AccessDeniedException("/copy/LOCK"), "I/O error: /copy/LOCK: permission denied");
        assertTold(new NoSuchFileException("/copy/a"), "I/O error: /copy/a: there is no such file");
        assertTold(new FileAlreadyExistsException("/copy/a"), "I/O error: /copy/a: there is such a file already");
        assertTold(new NotDirectoryException("/copy/a"), "I/O error: /copy/a: it is a file, must be a directory");
        assertTold(new FileSystemException("/a", null, "File name too long"), "I/O error: /a: File name too long");
    }

    @Test
    void reasonOfAFaultInAnOpenFileHasItsName() {
        IOException cause = new IOException("Is a directory");
        assertTold(
                DurableFiles.unreadable(Path.of("/copy/a"), cause),
                "I/O error: reading /copy/a failed: Is a directory");
        assertTold(
                DurableFiles.unwritable(Path.of("/copy/a"), cause),
                "I/O error: writing /copy/a failed: Is a directory");
        assertTold(
                DurableFiles.unreadable(Path.of("/copy/a"), new AccessDeniedException("/copy/a")),
                "I/O error: reading /copy/a failed: permission denied");
    }

    /** The outer one may know less well which file it was. */
    @Test
    void fileThatIsNamedAlreadyIsNotNamedAgain() {
        IOException named = DurableFiles.unreadable(Path.of("/copy/a"), new IOException("Input/output error"));
        assertThat(DurableFiles.unreadable(Path.of("/data"), named)).isSameAs(named);
        assertThat(DurableFiles.unwritable(Path.of("/data"), named)).isSameAs(named);
        IOException refused = new AccessDeniedException("/copy/a");
        assertThat(DurableFiles.unwritable(Path.of("/data"), refused)).isSameAs(refused);
    }

    @Test
    void directoryIsNamedWhereTheFileIsNotKnown() {
        assertTold(new IOException("No locks available"), "I/O error in /data: No locks available");
        assertTold(new ClosedChannelException(), "I/O error in /data: java.nio.channels.ClosedChannelException");
    }

    @Test
    void faultThatComesUncheckedIsTheSame() {
        IOException fault = DurableFiles.unreadable(Path.of("/data/a"), new IOException("Input/output error"));
        assertThatThrownBy(() -> DirectoryCall.run(ROOT, () -> {
                    throw new UncheckedIOException(fault);
                }))
                .hasMessage("I/O error: reading /data/a failed: Input/output error");
    }

    @Test
    void storeThatFailsSaysWhyInWords() {
        assertThat(DirectoryCall.failure(ROOT, new AccessDeniedException("/data/OWNER-00000001")))
                .isEqualTo("the store in /data failed and takes nothing any more:"
                        + " /data/OWNER-00000001: permission denied");
    }
}
