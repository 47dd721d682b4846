package io.tickwheel.store.file.disk;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The manifests that stand in a directory: two slots for each owner whose files are still there, and the marker that keeps
 * older versions away.
 *
 * <pre>
 *   new store, or of format 2    marker (tmp, rename) in MANIFEST-A, or in the slot that does not count
 *   each opening                 MANIFEST-n-A, synced, and its name; then MANIFEST-n-B the same: so when there is a B, A was whole
 *   then                         manifests of lower epochs are deleted
 * </pre>
 *
 * Older versions look at {@code MANIFEST-A} and {@code MANIFEST-B} only, and refuse the directory when one of them is of another
 * format than theirs.
 */
public final class ManifestFiles {

    private static final int TRIES = 100;

    private final DataDirectory directory;
    private final List<Slot> slots;

    /** A file, and what it says; null when it cannot be read. */
    public record Slot(
            DataDirectory.ManifestName name,
            Path file,
            @Nullable Manifest manifest) {

        /** Whether it is just there for older versions. */
        boolean isMarker() {
            return name.epoch() == 0 && manifest != null && manifest.format() == Manifest.FORMAT;
        }

        @Nullable
        Manifest counting() {
            return isMarker() ? null : manifest;
        }
    }

    private ManifestFiles(DataDirectory directory, List<Slot> slots) {
        this.directory = directory;
        this.slots = slots;
    }

    /**
     * Reads the manifests that there are.
     *
     * @throws StoreFormatException when another version wrote one of them
     */
    public static ManifestFiles of(DataDirectory directory) throws IOException {
        for (int i = 0; ; i++) {
            try {
                return read(directory);
            } catch (NoSuchFileException e) {
                // A new owner has deleted it since the directory was listed.
                if (i == TRIES) {
                    throw e;
                }
            }
        }
    }

    private static ManifestFiles read(DataDirectory directory) throws IOException {
        List<Slot> slots = new ArrayList<>();
        for (DataDirectory.ManifestName name : directory.manifests()) {
            Path file = directory.manifest(name);
            Manifest manifest;
            try (FileChannel channel = directory.openFile(file)) {
                ByteBuffer bytes = DurableFiles.read(channel, file);
                manifest = Manifest.read(bytes, directory.name(file));
            }
            slots.add(new Slot(name, file, manifest != null && isOf(name, manifest) ? manifest : null));
        }
        return new ManifestFiles(directory, slots);
    }

    /** A file that was overwritten with another one is damaged. */
    private static boolean isOf(DataDirectory.ManifestName name, Manifest manifest) {
        boolean isMarker = name.epoch() == 0 && manifest.format() == Manifest.FORMAT && manifest.epoch() == 0;
        return isMarker || manifest.slot().equals(name);
    }

    /** The one that counts, or null when the store is new. */
    public static @Nullable Manifest newest(DataDirectory directory) throws IOException {
        return of(directory).newest();
    }

    /**
     * The one that counts, or null when the store is new.
     *
     * @throws StoreCorruptedException when it is known that there must be one
     */
    public @Nullable Manifest newest() throws IOException {
        directory.checkIsNotRestoring();
        if (!slots.isEmpty()) {
            Slot last = slots.get(slots.size() - 1);
            int epoch = last.name.epoch();
            boolean sound = slots.stream().anyMatch(slot -> slot.name.epoch() == epoch && slot.manifest != null);
            // Slot A alone may be torn: of an opening that did not come to its end.
            if (epoch > 0 && !sound && last.name.slot() == 'B') {
                throw new StoreCorruptedException(
                        directory.name(last.file), 0, "no manifest of the last owner can be read");
            }
        }
        Manifest newest = readable();
        if (newest == null && directory.hasTimers()) {
            String name = slots.isEmpty()
                    ? new DataDirectory.ManifestName(0, 'A').fileName()
                    : slots.get(slots.size() - 1).name.fileName();
            throw new StoreCorruptedException(name, 0, "there are timers but no manifest that can be read");
        }
        return newest;
    }

    /** The newest of those that can be read; null when there is none. */
    public @Nullable Manifest readable() {
        return slots.stream()
                .map(Slot::counting)
                .filter(manifest -> manifest != null)
                .max(Comparator.comparingLong(Manifest::generation))
                .orElse(null);
    }

    public List<Slot> slots() {
        return slots;
    }

    /** Sees to it that older versions refuse the directory; what counts in it is still read as before. */
    public void keepOlderVersionsAway(long storeId) throws IOException {
        if (slots.stream().noneMatch(Slot::isMarker)) {
            Manifest newest = readable();
            DataDirectory.ManifestName name = new DataDirectory.ManifestName(0, 'A');
            if (newest != null && newest.slot().equals(name)) {
                name = new DataDirectory.ManifestName(0, 'B');
            }
            writeMarker(directory, name, storeId);
        }
    }

    /** Deletes manifests of format 2, once there is a newer one. */
    public void dropOld() throws IOException {
        if (slots.stream().anyMatch(slot -> slot.name.epoch() == 0 && !slot.isMarker())) {
            for (Slot slot : read(directory).slots) {
                if (slot.name.epoch() == 0 && !slot.isMarker()) {
                    Files.deleteIfExists(slot.file);
                }
            }
        }
    }

    public static void writeMarker(DataDirectory directory, DataDirectory.ManifestName name, long storeId)
            throws IOException {
        Path file = directory.manifest(name);
        Path unfinished = DataDirectory.unfinished(file);
        Files.deleteIfExists(unfinished);
        Manifest.marker(storeId).write(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        DurableFiles.publish(unfinished, file);
    }
}
