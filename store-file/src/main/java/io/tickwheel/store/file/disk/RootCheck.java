package io.tickwheel.store.file.disk;

import io.tickwheel.store.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a path must not be to be used as the directory of a store. */
final class RootCheck {

    private RootCheck() {}

    static void refuseFile(Path root) {
        if (Files.isRegularFile(root)) {
            throw new StoreException(root + " is a file, must be a directory");
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
