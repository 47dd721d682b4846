package io.tickwheel.store.file.disk;

import java.io.IOException;
import java.nio.file.Path;

/** A directory that is made to be filled, as a backup or by the restoring of one. */
public final class NewDirectory {

    private NewDirectory() {}

    /** Writes files into a directory that has none. */
    public interface Filling<T> {
        T fill(DataDirectory directory) throws IOException;
    }

    /** Makes a backup: the list of it, which says that it is whole, is empty and unfinished at first. */
    public static <T> T forBackup(Path root, Filling<T> filling) throws IOException {
        return fill(root, DataDirectory.unfinished(root.resolve(DataDirectory.BACKUP)), filling);
    }

    /** Makes a directory that is no store before {@link DataDirectory#endRestoring}, whatever is copied to it. */
    public static <T> T forRestoring(Path root, Filling<T> filling) throws IOException {
        return fill(root, root.resolve(DataDirectory.RESTORING), filling);
    }

    private static <T> T fill(Path root, Path mark, Filling<T> filling) throws IOException {
        try {
            return filling.fill(DataDirectory.make(root, mark));
        } catch (IOException e) {
            // What is read says itself which file it was.
            throw DurableFiles.unwritable(root, e);
        }
    }
}
