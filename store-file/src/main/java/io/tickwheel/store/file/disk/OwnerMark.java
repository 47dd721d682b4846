package io.tickwheel.store.file.disk;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An empty file {@code OWNER-<epoch>} by which the owner of a directory knows that it still is the owner. Locks get lost: POSIX
 * frees them when the process closes the file by chance, anyone can delete or replace it, and a process that is stopped does
 * not notice. So whoever opens the directory makes a mark with a higher epoch, deletes all lower ones, and only then reads; and
 * an owner looks for its mark after each sync, before it answers, and before it deletes anything.
 *
 * <pre>
 *   old owner    write, sync                  look: my mark is there     answer
 *   new owner                                                               mark of its own, delete the old one, read
 *                => what the old one answered was on the disk before the new one read
 *
 *   old owner    write, sync                                             look: gone => fails, answers nothing more
 *   new owner                 mark of its own, delete the old one, read
 * </pre>
 *
 * <p>What the old owner does beside answering, and may do at any later time, cannot harm: it writes to files of its own epoch
 * only, by names that nobody else gives; and what it deletes was superfluous by a manifest that it had synced before it saw its
 * mark, so that the new owner has read that manifest or a later one.
 *
 * <p>A mark is the file, not the name: it is held open for as long as it is owned, so that the system gives its key to no other,
 * and a copy of the directory in the place of the original is told from it. Where files have no keys, the name must do.
 *
 * <p>Any thread may look. A look is one query of attributes: 3 us on ext4.
 */
public final class OwnerMark implements AutoCloseable {

    /** After this long without a look nothing is given away before another one: the process may have been stopped. */
    private static final long FRESH_NANOS = 50_000_000;

    private final DataDirectory directory;
    private final LongSupplier monoNanos;
    private final int epoch;
    private final Path file;
    private final List<Integer> replaced;
    private final @Nullable FileChannel held;
    private final @Nullable Object key;

    /** When the last look began that found it. */
    private volatile long seenNanos;

    private OwnerMark(
            DataDirectory directory,
            LongSupplier monoNanos,
            int epoch,
            List<Integer> replaced,
            @Nullable FileChannel held,
            @Nullable Object key) {
        this.directory = directory;
        this.monoNanos = monoNanos;
        this.epoch = epoch;
        this.file = directory.ownerMark(epoch);
        this.replaced = replaced;
        this.held = held;
        this.key = key;
        this.seenNanos = monoNanos.getAsLong();
    }

    /**
     * Takes the directory from whoever has it. Nothing that was read of it before counts.
     *
     * @param knownEpoch the new epoch is higher, and higher than that in the name of any file
     */
    public static OwnerMark claim(DataDirectory directory, int knownEpoch, LongSupplier monoNanos) throws IOException {
        while (true) {
            DataDirectory.Epochs epochs = directory.epochs();
            int highest = Math.max(Math.max(knownEpoch, epochs.highest()), directory.highestEpochOfFiles());
            if (highest == Integer.MAX_VALUE) {
                throw new StoreException("the store in " + directory.root() + " was opened too often");
            }
            OwnerMark mark = make(directory, highest + 1, epochs.marks(), monoNanos);
            if (mark != null) {
                return mark;
            }
        }
    }

    /** Null when another one was faster. */
    private static @Nullable OwnerMark make(
            DataDirectory directory, int epoch, List<Integer> replaced, LongSupplier monoNanos) throws IOException {
        Path file = directory.ownerMark(epoch);
        FileChannel made;
        try {
            made = PrivateFiles.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (FileAlreadyExistsException e) {
            return null;
        }
        try {
            // The names in the root are enough: an owner has a manifest there until a later one has.
            DataDirectory.Epochs epochs = directory.epochs();
            if (epochs.highest() > epoch || epochs.manifests().contains(epoch)) {
                // Whoever took long to come here is too late: the name was free again, and others have been here.
                made.close();
                DurableFiles.discard(file);
                return null;
            }
            for (int lower : epochs.marks()) {
                if (lower < epoch) {
                    Files.deleteIfExists(directory.ownerMark(lower));
                }
            }
            directory.syncRoot();
            Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
            if (key == null) {
                made.close();
            }
            return new OwnerMark(directory, monoNanos, epoch, replaced, key == null ? null : made, key);
        } catch (NoSuchFileException e) {
            made.close();
            throw takenOver(directory, epoch);
        } catch (IOException | RuntimeException | Error e) {
            made.close();
            throw e;
        }
    }

    public int epoch() {
        return epoch;
    }

    /** Whether there was no mark: unless somebody has deleted it, the owner before has ended in order. */
    public boolean isFirst() {
        return replaced.isEmpty();
    }

    /**
     * Looks for the mark.
     *
     * @throws TakenOverException when somebody else owns the directory by now
     */
    public void check() throws IOException {
        long nowNanos = monoNanos.getAsLong();
        if (!isMine()) {
            throw takenOver(directory, epoch);
        }
        seenNanos = nowNanos;
    }

    private static TakenOverException takenOver(DataDirectory directory, int epoch) {
        return new TakenOverException(whatHappened(directory, epoch) + ": the mark "
                + directory.ownerMark(epoch).getFileName() + " of this one is gone");
    }

    /** Whoever takes a store over leaves its mark, or, once it has ended in order, a manifest of a higher epoch. */
    private static String whatHappened(DataDirectory directory, int epoch) {
        Path root = directory.root();
        try {
            DataDirectory.Epochs epochs = directory.epochs();
            if (epochs.marks().isEmpty() && epochs.manifests().stream().noneMatch(other -> other > epoch)) {
                return "somebody has deleted or moved "
                        + (Files.notExists(root) ? "the directory of the store, " : "files of the store in ")
                        + root;
            }
        } catch (IOException e) {
            // It cannot be looked at; the mark is gone all the same.
        }
        return "another process or engine has taken over the store in " + root + ", or has moved it";
    }

    /** Where a file is gone or wrong, somebody may have taken over, or moved the whole directory: that is the reason then. */
    public Throwable reasonFor(Throwable failed) {
        try {
            throwIfReasonOf(failed);
        } catch (IOException e) {
            return e;
        }
        return failed;
    }

    /**
     * Takes a takeover for the reason of a failure, when there was one.
     *
     * @throws TakenOverException when it is the reason for what failed
     */
    public void throwIfReasonOf(Throwable failed) throws IOException {
        boolean isGone = false;
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            isGone |= cause instanceof NoSuchFileException || cause instanceof StoreCorruptedException;
        }
        if (isGone && !isMine()) {
            TakenOverException takenOver = takenOver(directory, epoch);
            takenOver.addSuppressed(failed);
            throw takenOver;
        }
    }

    /** As {@link #check}, when the last time is so long ago that the process may have been stopped since. */
    public void checkUnlessFresh() throws IOException {
        if (monoNanos.getAsLong() - seenNanos > FRESH_NANOS) {
            check();
        }
    }

    private boolean isMine() throws IOException {
        try {
            BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
            return Objects.equals(found.fileKey(), key);
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Says that this owner has ended in order: its very last act. Where that fails, the next one takes it for killed. */
    public void endInOrder() {
        try {
            if (isMine()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            // It stays.
        }
    }

    /**
     * Takes the claim back: the names are again as they were, and the next owner knows as much as this one. Whoever made the marks
     * before has lost its own all the same. Where files have no keys it could not know that: so there this mark stays.
     */
    public void withdraw() {
        try {
            if (!replaced.isEmpty() && key == null) {
                return;
            }
            for (int before : replaced) {
                PrivateFiles.open(directory.ownerMark(before), StandardOpenOption.CREATE, StandardOpenOption.WRITE)
                        .close();
            }
            endInOrder();
        } catch (IOException e) {
            // This one says as well that somebody has not ended in order.
        }
    }

    @Override
    public void close() throws IOException {
        if (held != null) {
            held.close();
        }
    }
}
