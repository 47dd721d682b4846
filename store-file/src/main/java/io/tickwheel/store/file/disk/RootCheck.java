package io.tickwheel.store.file.disk;

import io.tickwheel.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a path must not be to be used as the directory of a store, or of a backup of one. */
public final class RootCheck {

    private RootCheck() {}

    static void refuseFile(Path root) {
        if (Files.isRegularFile(root)) {
            throw new StoreException(root + " is a file, must be a directory");
        }
        if (Files.isSymbolicLink(root) && !Files.exists(root)) {
            throw new StoreException(root + " is a link that leads nowhere, must be a directory");
        }
    }

    /** A backup within its store is lost with it. */
    public static void refuseWithin(Path store, Path backup) throws IOException {
        Path existing = backup.toAbsolutePath().normalize();
        while (existing != null && !Files.exists(existing)) {
            existing = existing.getParent();
        }
        if (existing != null && existing.toRealPath().startsWith(store.toRealPath())) {
            throw new StoreException(backup + " is within the store in " + store + ", must be elsewhere");
        }
    }

    /** What opens a store writes into its directory, and a backup that was written into can be restored no more. */
    static void refuseBackup(Path root) {
        if (Files.exists(root.resolve(DataDirectory.BACKUP))) {
            throw new StoreException(root + " is a backup, as its file " + DataDirectory.BACKUP
                    + " says: restore it to a new directory, and use that one");
        }
    }
}
