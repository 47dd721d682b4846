package io.tickwheel.store.file;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFormatException;
import io.tickwheel.store.StoreLockedException;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.DirectoryCall;
import io.tickwheel.store.file.tools.Backup;
import io.tickwheel.store.file.tools.Export;
import io.tickwheel.store.file.tools.Inspection;
import io.tickwheel.store.file.tools.Salvage;
import io.tickwheel.store.file.tools.Verification;
import io.tickwheel.store.file.tools.Work;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The directory of a {@link FileTimerStore}, as its operator sees it: to be looked at, checked, copied and repaired. Immutable
 * and thread-safe; each call reads the directory anew and blocks until it is done. Calls throw {@link StoreException} for an I/O
 * error and where there is no store, {@link StoreFormatException} for a store of another version, and what else they say.
 */
public final class StoreDirectory {

    private final Path root;
    private final ByteProgress progress;

    private StoreDirectory(Path root, ByteProgress progress) {
        this.root = root;
        this.progress = progress;
    }

    public static StoreDirectory at(Path root) {
        return new StoreDirectory(Objects.requireNonNull(root, "root"), (done, total) -> {});
    }

    /** Has {@link #verify}, {@link #backUpTo}, {@link #restoreFrom} and {@link #salvage} tell how far they have come. */
    public StoreDirectory withProgress(ByteProgress listener) {
        return new StoreDirectory(root, Objects.requireNonNull(listener, "listener"));
    }

    /**
     * What is there. Changes nothing and needs no lock: a server may have the directory open. Reads the manifest, the progress
     * and the entries of the runs: about 40 bytes a timer.
     *
     * @throws StoreCorruptedException when one of these is damaged
     * @throws StoreLockedException when a server changes the directory too often to be looked at
     */
    public StoreInspection inspect() {
        return DirectoryCall.run(root, () -> Inspection.of(DataDirectory.view(root)));
    }

    /**
     * Reads everything that counts and tells what is damaged. Changes nothing and needs no lock: a server may have the
     * directory open. Reads all segments, one at a time into memory, and all runs.
     */
    public StoreVerification verify() {
        return DirectoryCall.run(root, () -> Verification.of(DataDirectory.view(root), new Work(progress)));
    }

    /**
     * Copies the store to a directory, which must not exist or be empty. A server may have the store open and go on: the copy has
     * everything that was accepted before the call, and a first part of what is accepted meanwhile. Ends with a list of
     * what was copied, without which {@link #restoreFrom} takes nothing. The copy has the identity of this store: one of the
     * two may go on. A call that fails deletes what it has made, as far as the disk lets it.
     *
     * @throws StoreCorruptedException when this store is damaged; {@link #verify} tells all of it
     * @throws StoreLockedException when checkpoints come too often to be copied in between
     */
    public StoreBackup backUpTo(Path target) {
        return DirectoryCall.run(root, () -> Backup.make(root, target, new Work(progress)));
    }

    /**
     * Copies a backup to this directory, which must not exist or be empty. Checks the backup first, and what was copied. A call that
     * fails deletes what it has made, as far as the disk lets it.
     *
     * @throws StoreCorruptedException when the backup is damaged; nothing is copied then
     */
    public StoreBackup restoreFrom(Path backup) {
        return DirectoryCall.run(root, () -> Backup.restore(backup, root, new Work(progress)));
    }

    /**
     * Makes a store of what can be read of a damaged one, in its place: same identity, ids, versions and attempts. Copies of all
     * that it replaces are kept in {@code quarantine} below the directory: it needs room for them. Does nothing when nothing is
     * damaged, or just what the next opening mends. A crash leaves the damaged store or the new one; after one in the middle, call it again.
     *
     * <p>Where the log lost something, a timer that was cancelled, completed or replaced there can be delivered again.
     *
     * @throws StoreLockedException when an engine has the store open
     */
    public StoreSalvage salvage() {
        return DirectoryCall.run(root, () -> Salvage.of(root, new Work(progress)));
    }

    /**
     * Gives every live and dead timer to {@code consumer}, run by run and then those of the log. Takes the lock for as long as
     * that lasts: export a backup of a store that must not stop. On read-only media it takes a lock that needs no right to write, and
     * where there is no file {@code LOCK}, as in a backup, none: a store that is opened meanwhile is noticed in the end.
     *
     * @return how many timers were given
     * @throws StoreCorruptedException when the store is damaged; some timers may have been given by then
     * @throws StoreLockedException when an engine has the store open, or may have: on read-only media without {@code LOCK} when it was
     *     not closed in order, or was opened meanwhile, by when timers may have been given
     */
    public long export(Consumer<StoredTimer> consumer) {
        return DirectoryCall.run(root, () -> Export.of(root, consumer));
    }
}
