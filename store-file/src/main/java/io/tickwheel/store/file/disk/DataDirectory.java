package io.tickwheel.store.file.disk;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreLockedException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files of a store and the few operations on them.
 *
 * <pre>
 *   LOCK                                     held while the store is open
 *   OWNER-&lt;epoch&gt;                            there while the store is open, and after a crash
 *   MANIFEST-&lt;epoch&gt;-A, MANIFEST-&lt;epoch&gt;-B   what counts; written in turns
 *   MANIFEST-A or MANIFEST-B                 keeps older versions away; in format 2 what counts
 *   commitlog/&lt;first lsn&gt;-&lt;epoch&gt;.log        the commit log, in segments
 *   commitlog/spare-&lt;epoch&gt;-1, -2            what the next segments will be written into
 *   schedulelog/&lt;epoch&gt;&lt;number&gt;.run          timers that were pending when the commit log was trimmed
 *   schedulelog/&lt;generation&gt;.progress        which runs count and what of them has ended, as of a checkpoint
 *   keys/&lt;generation&gt;.snap                   the key index, as of a clean close
 *   *.tmp                                    unfinished; dropped at the next opening
 *   RESTORING                                there while a backup is copied here, and after that was cut off
 *   BACKUP                                   the list of a backup, which is not opened
 * </pre>
 *
 * Epochs and numbers have 8 hex digits, LSNs and generations 16; a generation begins with the epoch too. So two owners never
 * write under one name. A file that is called otherwise is not ours, and is left alone.
 */
public final class DataDirectory implements AutoCloseable {

    public static final String RUN_SUFFIX = ".run";
    public static final String PROGRESS_SUFFIX = ".progress";
    public static final String KEYS_SUFFIX = ".snap";
    public static final String BACKUP = "BACKUP";
    private static final String UNFINISHED_SUFFIX = ".tmp";
    private static final String MANIFEST = "MANIFEST-";
    private static final String OWNER = "OWNER-";
    static final String RESTORING = "RESTORING";

    private static final String EPOCH = SegmentName.EPOCH;
    private static final Pattern NUMBERED = Pattern.compile("([0-7][0-9a-f]{7})[0-9a-f]{8}\\.(run|progress|snap)");
    private static final Pattern SPARE_NAME = Pattern.compile("spare-(?:" + EPOCH + "-)?([12])");
    private static final Pattern MANIFEST_NAME = Pattern.compile(MANIFEST + "(?:" + EPOCH + "-)?([AB])");
    private static final Pattern OWNER_NAME = Pattern.compile(OWNER + EPOCH);
    private static final Pattern QUARANTINE_NAME = Pattern.compile("[0-7][0-9a-f]{15}");

    private final Path root;
    private final Path commitLog;
    private final Path scheduleLog;
    private final Path keys;
    private final @Nullable DirectoryLock lock;

    /** Null when one fails the reading. */
    private final @Nullable BadSectors badSectors;

    /** Null where the system does not tell. */
    private @Nullable FileStore fileStore;

    private DataDirectory(Path root, @Nullable DirectoryLock lock, @Nullable BadSectors badSectors) {
        this.root = root;
        this.commitLog = root.resolve("commitlog");
        this.scheduleLog = root.resolve("schedulelog");
        this.keys = root.resolve("keys");
        this.lock = lock;
        this.badSectors = badSectors;
    }

    /**
     * Makes what is missing, and takes the lock.
     *
     * @throws StoreLockedException when another has it
     * @throws StoreException when this is a backup
     */
    public static DataDirectory open(Path root) throws IOException {
        RootCheck.refuseFile(root);
        RootCheck.refuseBackup(root);
        DurableFiles.makeDirectory(root);
        DirectoryLock lock = DirectoryLock.take(root);
        try {
            DataDirectory directory = new DataDirectory(root, lock, null);
            directory.makeDirectories();
            directory.findFileStore();
            return directory;
        } catch (IOException | RuntimeException | Error e) {
            lock.close();
            throw e;
        }
    }

    /** Makes the directories of a store where there is nothing yet; takes no lock. */
    public static DataDirectory make(Path root) throws IOException {
        DataDirectory directory = makeRoot(root);
        directory.makeDirectories();
        return directory;
    }

    /** Makes the directory alone, which must not exist or be empty. */
    static DataDirectory makeRoot(Path root) throws IOException {
        RootCheck.refuseFile(root);
        DurableFiles.makeDirectory(root);
        if (!DurableFiles.names(root).isEmpty()) {
            throw notEmpty(root);
        }
        return new DataDirectory(root, null, null);
    }

    static StoreException notEmpty(Path root) {
        return new StoreException(root + " is not empty, must be a new directory");
    }

    /** Says that all is there that was to be restored, and durable. */
    public void endRestoring() throws IOException {
        Files.delete(root.resolve(RESTORING));
        syncRoot();
    }

    /**
     * Looks whether a restore has come to its end here.
     *
     * @throws StoreCorruptedException when it has not: part of the timers is missing, and nothing says which
     */
    public void checkIsNotRestoring() throws IOException {
        if (DurableFiles.names(root).contains(RESTORING)) {
            throw new StoreCorruptedException(
                    RESTORING, 0, "a restore to this directory was cut off or goes on: delete it and restore again");
        }
    }

    /** Looks at what is there: makes nothing, and takes no lock, so that what it sees may change meanwhile. */
    public static DataDirectory view(Path root) {
        RootCheck.refuseFile(root);
        return new DataDirectory(root, null, null);
    }

    /** The same with the same lock, for tools that save what can be read: what cannot be is zeros, and noted. Not for an opening. */
    public DataDirectory pastBadSectors() {
        DataDirectory same = new DataDirectory(root, lock, new BadSectors());
        same.fileStore = fileStore;
        return same;
    }

    /** What could not be read so far, when this is to be read {@linkplain #pastBadSectors past that}. */
    public List<BadPart> badSectors() {
        return badSectors == null ? List.of() : badSectors.parts();
    }

    /** Opens a file of the store to be read. */
    public FileChannel openFile(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        return badSectors == null ? channel : new ReadPastChannel(channel, file, badSectors);
    }

    List<Path> directories() {
        return List.of(commitLog, scheduleLog, keys);
    }

    void makeDirectories() throws IOException {
        for (Path directory : directories()) {
            DurableFiles.makeDirectory(directory);
        }
        DurableFiles.sync(root);
    }

    private void findFileStore() {
        try {
            fileStore = Files.getFileStore(commitLog);
        } catch (IOException e) {
            // Some containers hide what is mounted.
            fileStore = null;
        }
    }

    /** What is left on the disk; {@link Long#MAX_VALUE} where that is not known. Any thread. */
    public long usableBytes() {
        FileStore store = fileStore;
        try {
            return store == null ? Long.MAX_VALUE : store.getUsableSpace();
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
    }

    /** Makes the name of the whole directory durable: whoever made it may have died before it could. */
    public void syncName() throws IOException {
        Path parent = root.toAbsolutePath().getParent();
        // Where it cannot be read, it was made by somebody else, long ago.
        if (parent != null && Files.isReadable(parent)) {
            DurableFiles.sync(parent);
        }
    }

    /** Where the originals of a salvage are kept that goes on with the log there. */
    public Path quarantine(long lsn) {
        return root.resolve("quarantine").resolve(String.format(Locale.ROOT, "%016x", lsn));
    }

    /** The LSNs of the salvages there were, rising. */
    public List<Long> quarantines() throws IOException {
        return DurableFiles.names(root.resolve("quarantine")).stream()
                .filter(name -> QUARANTINE_NAME.matcher(name).matches())
                .map(name -> Long.parseLong(name, 16))
                .sorted()
                .toList();
    }

    public Path root() {
        return root;
    }

    Path ownerMark(int epoch) {
        return root.resolve(String.format(Locale.ROOT, OWNER + "%08x", epoch));
    }

    /** A slot of the manifests of an epoch; 0 for the two that are named without, as all are in format 2. */
    public record ManifestName(int epoch, char slot) {

        public String fileName() {
            return epoch == 0 ? MANIFEST + slot : String.format(Locale.ROOT, MANIFEST + "%08x-%c", epoch, slot);
        }
    }

    public Path manifest(ManifestName name) {
        return root.resolve(name.fileName());
    }

    /** The manifests there are, in the order of their epochs and slots. */
    public List<ManifestName> manifests() throws IOException {
        return DurableFiles.names(root).stream()
                .map(MANIFEST_NAME::matcher)
                .filter(Matcher::matches)
                .map(name ->
                        new ManifestName(epochOf(name.group(1)), name.group(2).charAt(0)))
                .sorted((a, b) -> a.epoch != b.epoch ? Integer.compare(a.epoch, b.epoch) : a.slot - b.slot)
                .toList();
    }

    public Path segment(SegmentName name) {
        return commitLog.resolve(name.fileName());
    }

    public Path commitLog() {
        return commitLog;
    }

    /** A file for a later segment, 1 or 2 of an epoch; 0 for one of format 2. */
    public record SpareName(int epoch, int number) {

        String fileName() {
            return epoch == 0 ? "spare-" + number : String.format(Locale.ROOT, "spare-%08x-%d", epoch, number);
        }
    }

    public Path spare(SpareName name) {
        return commitLog.resolve(name.fileName());
    }

    /** The spares there are, of all epochs. */
    public List<SpareName> spares() throws IOException {
        return DurableFiles.names(commitLog).stream()
                .map(SPARE_NAME::matcher)
                .filter(Matcher::matches)
                .map(name -> new SpareName(epochOf(name.group(1)), Integer.parseInt(name.group(2))))
                .toList();
    }

    /** The file of a run; its number has the epoch in the high 32 bits. */
    public Path run(long fileNumber) {
        return scheduleLog.resolve(String.format(Locale.ROOT, "%016x", fileNumber) + RUN_SUFFIX);
    }

    public Path progress(long generation) {
        return scheduleLog.resolve(String.format(Locale.ROOT, "%016x", generation) + PROGRESS_SUFFIX);
    }

    public Path keys(long generation) {
        return keys.resolve(String.format(Locale.ROOT, "%016x", generation) + KEYS_SUFFIX);
    }

    /** The name under which a file is written until it is complete. */
    public static Path unfinished(Path file) {
        return file.resolveSibling(file.getFileName() + UNFINISHED_SUFFIX);
    }

    /** The segments there are, in their order. */
    public List<SegmentName> segments() throws IOException {
        List<SegmentName> segments = new ArrayList<>();
        for (String fileName : DurableFiles.names(commitLog)) {
            SegmentName segment = SegmentName.of(fileName);
            if (segment != null) {
                segments.add(segment);
            }
        }
        segments.sort(null);
        return segments;
    }

    /** The numbers of the runs there are, rising. */
    public List<Long> runs() throws IOException {
        return numbers(scheduleLog, RUN_SUFFIX);
    }

    /** The generations of the progress files there are, rising. */
    public List<Long> progresses() throws IOException {
        return numbers(scheduleLog, PROGRESS_SUFFIX);
    }

    private static List<Long> numbers(Path directory, String suffix) throws IOException {
        return DurableFiles.names(directory).stream()
                .filter(name -> name.endsWith(suffix) && NUMBERED.matcher(name).matches())
                .map(name -> Long.parseLong(name.substring(0, 16), 16))
                .sorted()
                .toList();
    }

    /** Whether there is a run, or a log with something in it: not just one that was about to be begun. */
    public boolean hasTimers() throws IOException {
        for (SegmentName segment : segments()) {
            try {
                if (Files.size(segment(segment)) > SegmentName.EMPTY_BYTES) {
                    return true;
                }
            } catch (NoSuchFileException e) {
                // Its owner is at work, and did not need it any more.
                return true;
            }
        }
        return !runs().isEmpty();
    }

    /** The epochs of marks and manifests, as of one look at the root. */
    record Epochs(List<Integer> marks, List<Integer> manifests) {

        int highest() {
            return Stream.concat(marks.stream(), manifests.stream())
                    .mapToInt(epoch -> epoch)
                    .max()
                    .orElse(0);
        }
    }

    Epochs epochs() throws IOException {
        Epochs epochs = new Epochs(new ArrayList<>(), new ArrayList<>());
        for (String name : DurableFiles.names(root)) {
            if (OWNER_NAME.matcher(name).matches()) {
                epochs.marks.add(epochOfFile(name));
            } else if (MANIFEST_NAME.matcher(name).matches()) {
                epochs.manifests.add(epochOfFile(name));
            }
        }
        return epochs;
    }

    /** The highest epoch in the name of any file below the root; 0 when there is none. */
    int highestEpochOfFiles() throws IOException {
        int highest = 0;
        for (Path file : files()) {
            highest = Math.max(highest, epochOfFile(file.getFileName().toString()));
        }
        return highest;
    }

    /** The epoch of who wrote a file, or is about to; 0 for one of format 2, -1 for one that is not ours. */
    static int epochOfFile(String fileName) {
        String name = fileName.endsWith(UNFINISHED_SUFFIX)
                ? fileName.substring(0, fileName.length() - UNFINISHED_SUFFIX.length())
                : fileName;
        SegmentName segment = SegmentName.of(name);
        if (segment != null) {
            return segment.epoch();
        }
        return Stream.of(NUMBERED, SPARE_NAME, MANIFEST_NAME, OWNER_NAME)
                .map(pattern -> pattern.matcher(name))
                .filter(Matcher::matches)
                .mapToInt(matcher -> epochOf(matcher.group(1)))
                .findFirst()
                .orElse(-1);
    }

    private static int epochOf(@Nullable String digits) {
        return digits == null ? 0 : Integer.parseInt(digits, 16);
    }

    public static boolean isUnfinished(String fileName) {
        return fileName.endsWith(UNFINISHED_SUFFIX);
    }

    public static boolean isSpare(String fileName) {
        return SPARE_NAME.matcher(fileName).matches();
    }

    /** The files below the root that are ours, finished or not. */
    List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        for (Path directory : directories()) {
            for (String name : DurableFiles.names(directory)) {
                if (epochOfFile(name) >= 0) {
                    files.add(directory.resolve(name));
                }
            }
        }
        return files;
    }

    public void syncScheduleLog() throws IOException {
        DurableFiles.sync(scheduleLog);
    }

    public void syncKeys() throws IOException {
        DurableFiles.sync(keys);
    }

    public void syncCommitLog() throws IOException {
        DurableFiles.sync(commitLog);
    }

    public void syncRoot() throws IOException {
        DurableFiles.sync(root);
    }

    /** The name of a file for a person: relative to the directory of the store. */
    public String name(Path file) {
        return root.relativize(file).toString();
    }

    /** Frees the lock. */
    @Override
    public void close() throws IOException {
        if (lock != null) {
            lock.close();
        }
    }
}
