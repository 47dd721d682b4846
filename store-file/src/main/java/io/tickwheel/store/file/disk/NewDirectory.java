package io.tickwheel.store.file.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A directory that is made to be filled, as a backup or by the restoring of one. Where that fails, what was made is deleted again, as
 * far as that can be done: nothing half done stands under its name, and it can be tried once more.
 */
public final class NewDirectory {

    private final Path root;
    private final Path mark;

    /** The directories that were not there, the deepest first. */
    private final List<Path> missing;

    /** Set when nobody else fills the directory, nor has done so: then all files of a store or a backup in it are of this call. */
    private @Nullable DataDirectory own;

    private boolean isMarked;

    private NewDirectory(Path root, Path mark) throws IOException {
        this.root = root;
        this.mark = mark;
        this.missing = missing(root);
    }

    /** Writes files into a directory that has none. */
    public interface Filling<T> {
        T fill(DataDirectory directory) throws IOException;
    }

    /** Makes a backup: the list of it, which says that it is whole, is empty and unfinished at first. */
    public static <T> T forBackup(Path root, Filling<T> filling) throws IOException {
        Path list = root.resolve(DataDirectory.BACKUP);
        return new NewDirectory(root, DataDirectory.unfinished(list)).fill(filling);
    }

    /** Makes a directory that is no store before {@link DataDirectory#endRestoring}, whatever is copied to it. */
    public static <T> T forRestoring(Path root, Filling<T> filling) throws IOException {
        return new NewDirectory(root, root.resolve(DataDirectory.RESTORING)).fill(filling);
    }

    private static List<Path> missing(Path root) {
        List<Path> missing = new ArrayList<>();
        Path at = root.toAbsolutePath();
        while (at != null && !Files.exists(at, LinkOption.NOFOLLOW_LINKS)) {
            // Of some nobody can say whether they are there.
            if (Files.notExists(at, LinkOption.NOFOLLOW_LINKS)) {
                missing.add(at);
            }
            at = at.getParent();
        }
        return missing;
    }

    private <T> T fill(Filling<T> filling) throws IOException {
        try {
            return filling.fill(make());
        } catch (IOException e) {
            undo();
            // What is read says itself which file it was.
            throw DurableFiles.unwritable(root, e);
        } catch (RuntimeException e) {
            undo();
            throw e;
        }
    }

    private DataDirectory make() throws IOException {
        DataDirectory made = DataDirectory.makeRoot(root);
        PrivateFiles.open(mark, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)
                .close();
        isMarked = true;
        if (DurableFiles.names(root).size() > 1) {
            // Another one has had its mark here, and come to its end, since this was looked at.
            throw DataDirectory.notEmpty(root);
        }
        own = made;
        made.syncRoot();
        made.makeDirectories();
        return made;
    }

    private void undo() {
        if (own != null) {
            delete(own);
        } else if (isMarked) {
            DurableFiles.discard(mark);
        }
        missing.forEach(DurableFiles::discard);
    }

    /** The mark last: as long as it is there, nobody takes the rest for a store. */
    private void delete(DataDirectory made) {
        try {
            for (String name : DurableFiles.names(root)) {
                if (name.equals(DataDirectory.BACKUP) || DataDirectory.epochOfFile(name) >= 0) {
                    Files.deleteIfExists(root.resolve(name));
                }
            }
            for (Path file : made.files()) {
                Files.deleteIfExists(file);
            }
            for (Path directory : made.directories()) {
                Files.deleteIfExists(directory);
            }
            Files.deleteIfExists(mark);
        } catch (IOException e) {
            // It stays as what was cut off does.
        }
    }
}
