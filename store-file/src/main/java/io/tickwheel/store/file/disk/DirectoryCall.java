package io.tickwheel.store.file.disk;

import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreLockedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Runs what works on the files of a directory for its caller, and says in words of the store what went wrong. The JDK closes a
 * file under a thread that is interrupted: so that thread is told so, and not of an I/O error.
 */
public final class DirectoryCall {

    private DirectoryCall() {}

    /** Reads or writes files. */
    public interface Work<T> {
        T run() throws IOException;
    }

    /**
     * Runs the work on the thread of the caller.
     *
     * @throws StoreException for an I/O error, and when the thread is or gets interrupted, which it then still is
     */
    public static <T> T run(Path root, Work<T> work) {
        if (Thread.currentThread().isInterrupted()) {
            throw new StoreException("the calling thread was interrupted before anything was done in " + root
                    + ": nothing has changed there");
        }
        try {
            return work.run();
        } catch (TakenOverException e) {
            throw new StoreLockedException(String.valueOf(e.getMessage()), e);
        } catch (IOException | UncheckedIOException e) {
            if (isInterrupt(e)) {
                throw new StoreException(
                        "the calling thread was interrupted at its work in " + root + ", which can be done again", e);
            }
            // A file that is named may lie elsewhere, as where a backup is written to.
            String where = FaultText.file(e) == null ? " in " + root : "";
            throw new StoreException("I/O error" + where + ": " + FaultText.of(e), e);
        }
    }

    /** Why a store fails, in words. */
    public static String failure(Path root, Throwable cause) {
        return "the store in " + root + " failed and takes nothing any more: " + FaultText.of(cause);
    }

    private static boolean isInterrupt(@Nullable Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ClosedByInterruptException) {
                return true;
            }
        }
        return false;
    }
}
