package io.tickwheel.store.file.disk;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreLockedException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.function.BiPredicate;

/** Reads a directory that a server may change meanwhile: when a checkpoint came in between, what was read does not fit together. */
public final class StableRead {

    private static final int TRIES = 50;

    private StableRead() {}

    /** A reading of the files that a manifest names. */
    public interface Reading<T> {
        T read(Manifest manifest) throws IOException;
    }

    /** Reads until no other manifest was written meanwhile. */
    public static <T> T read(DataDirectory directory, Reading<T> reading) throws IOException {
        return read(directory, Manifest::equals, reading);
    }

    /**
     * Reads until what {@code same} compares is the same before and after.
     *
     * @throws StoreLockedException when that does not happen
     * @throws StoreException when there is no store
     */
    public static <T> T read(DataDirectory directory, BiPredicate<Manifest, Manifest> same, Reading<T> reading)
            throws IOException {
        String damage = "";
        for (int i = 0; i < TRIES; i++) {
            Manifest before = manifest(directory);
            try {
                T read = reading.read(before);
                if (same.test(before, manifest(directory))) {
                    return read;
                }
            } catch (NoSuchFileException e) {
                if (before.equals(manifest(directory))) {
                    throw e;
                }
            } catch (StoreCorruptedException e) {
                // What is being written at the moment can look like damage, and looks otherwise the next time.
                if (before.equals(manifest(directory)) && damage.equals(e.getMessage())) {
                    throw e;
                }
                damage = String.valueOf(e.getMessage());
            }
        }
        throw new StoreLockedException("the store in " + directory.root() + " changed " + TRIES
                + " times while it was read; try again when it is less busy");
    }

    public static Manifest manifest(DataDirectory directory) throws IOException {
        Manifest manifest = ManifestFiles.newest(directory);
        if (manifest == null) {
            throw new StoreException("there is no store in " + directory.root());
        }
        return manifest;
    }
}
