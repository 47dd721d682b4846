package io.tickwheel.store.file.disk;

import io.tickwheel.store.StoreLockedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A directory that is read while nobody writes in it. It is locked for that, as by an engine. Where nothing can be written, on
 * read-only media or without the right to, a lock that needs no such right keeps engines away; and where there is no file to lock
 * either, as in a backup, it is looked at before and after: an engine makes that file first, and marks what it owns.
 *
 * <pre>
 *   can be written             exclusive lock
 *   read-only, with LOCK       shared lock
 *   read-only, without LOCK    no OWNER-n before; no LOCK, and the same OWNER-n and MANIFEST-n, after
 * </pre>
 */
public final class QuietDirectory implements AutoCloseable {

    private final DataDirectory directory;
    private final DirectoryLock lock;

    /** As it was before, where nothing could be locked. */
    private final DataDirectory.@Nullable Epochs before;

    private QuietDirectory(DataDirectory directory, DirectoryLock lock) throws IOException {
        this.directory = directory;
        this.lock = lock;
        this.before = lock.isHeld() ? null : directory.epochs();
    }

    /**
     * Sees to it that nobody writes, or takes note of what tells later whether somebody did.
     *
     * @throws StoreLockedException when somebody writes, or it cannot be told
     */
    public static QuietDirectory open(Path root) throws IOException {
        DirectoryLock lock = DirectoryLock.takeToRead(root);
        try {
            QuietDirectory quiet = new QuietDirectory(DataDirectory.view(root), lock);
            quiet.checkHasNoOwner();
            return quiet;
        } catch (IOException | RuntimeException | Error e) {
            lock.close();
            throw e;
        }
    }

    private void checkHasNoOwner() {
        if (before != null && !before.marks().isEmpty()) {
            throw new StoreLockedException("the store in " + directory.root()
                    + " may be open elsewhere: nothing can be written there, it has no file LOCK, and "
                    + directory.ownerMark(before.marks().get(0)).getFileName()
                    + " says that it was not closed; read a copy of the directory, in which something can be written");
        }
    }

    public DataDirectory directory() {
        return directory;
    }

    /**
     * To be called once all is read, also when that failed.
     *
     * @throws StoreLockedException when somebody may have written meanwhile
     */
    public void check() throws IOException {
        if (before != null && (Files.exists(DirectoryLock.file(directory.root())) || !isAsBefore(before))) {
            throw new StoreLockedException("the store in " + directory.root()
                    + " was opened elsewhere while it was read; what was read of it does not count");
        }
    }

    private boolean isAsBefore(DataDirectory.Epochs seen) throws IOException {
        DataDirectory.Epochs now = directory.epochs();
        // A directory lists its names in any order.
        return now.marks().isEmpty() && Set.copyOf(now.manifests()).equals(Set.copyOf(seen.manifests()));
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
