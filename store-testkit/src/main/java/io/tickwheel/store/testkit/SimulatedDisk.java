package io.tickwheel.store.testkit;

import java.io.Closeable;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory that crashes and fails on command, behind the {@code java.nio.file} interfaces, so that the code under
 * test runs on it unchanged: give it {@link #root()}. An operation costs its bytes, a power loss the size of the files
 * that were not synced. The same seed and the same calls give the same outcome. Has no clock. Not thread-safe: one
 * thread, or a hand-over between threads that orders all calls.
 *
 * <h2>The model</h2>
 *
 * <pre>
 *   write, rename ──&gt; what readers see ──force──&gt; what the disk holds
 *                          survives a process kill      survives a power loss, with any part of the rest
 * </pre>
 *
 * Syncing a file keeps its bytes, not those of other files; syncing a directory keeps names, never bytes; a rename syncs
 * nothing. {@link CrashKind} says what a crash may leave of the rest and {@link DiskFault} what an error does. A crash
 * strikes between any two operations or within one, as planned by {@link #crashAfter}:
 *
 * <pre>{@code
 * for (long n = 0; ; n++) {
 *     var disk = new SimulatedDisk(seed);
 *     disk.crashAfter(n, CrashKind.POWER_LOSS);
 *     try {
 *         work(disk.root());
 *         break; // n is beyond the last operation
 *     } catch (SimulatedCrash crash) {
 *         disk.restart();
 *     }
 *     checkRecovery(disk.root());
 * }
 * }</pre>
 *
 * What is not modelled throws {@link UnsupportedOperationException}: memory mapping, transfers between channels, links,
 * file times and rights, partial locks, locks that several share, {@code SYNC}, {@code DSYNC} and {@code DELETE_ON_CLOSE}.
 * Interrupts have no effect. A second lock of a file throws {@link java.nio.channels.OverlappingFileLockException}, as in
 * one JVM; {@link #lockAsOtherProcess} shows what a second process sees. A listing comes in a seeded order, since
 * directories promise none. A file has another key after each crash: what a dead process knew of it is no more.
 *
 * <p>The model follows "All File Systems Are Not Created Equal" (OSDI 2014) and "Can Applications Recover from fsync
 * Failures?" (USENIX ATC 2020).
 */
public final class SimulatedDisk {
    private final Volume volume = new Volume();
    private final DiskController controller;
    private final DiskFileSystem fileSystem;

    /** An empty disk without limit. */
    public SimulatedDisk(long seed) {
        controller = new DiskController(volume, seed);
        fileSystem = new DiskFileSystem(volume, controller);
    }

    /** The only directory of a new disk, always durable. */
    public Path root() {
        return fileSystem.root();
    }

    /** A path of this disk; without a leading {@code /} it is relative to the root. */
    public Path path(String first, String... more) {
        return fileSystem.getPath(first, more);
    }

    /**
     * Lets {@code operations} more operations complete and crashes within the next, which takes effect in full, in part
     * or not at all. It throws {@link SimulatedCrash}, and so does every later one until {@link #restart()}. Replaces an
     * earlier plan.
     */
    public void crashAfter(long operations, CrashKind kind) {
        checkNotNegative("operations", operations);
        checkAlive();
        controller.planCrash(operations, kind);
    }

    /** Whether a planned crash has struck and {@link #restart()} is due. */
    public boolean crashed() {
        return controller.dead();
    }

    /** Completes the planned crash that has struck, as {@link #crash} does. */
    public void restart() {
        if (!controller.dead()) {
            throw new IllegalStateException("no planned crash has struck");
        }
        controller.crash(controller.plannedCrash());
    }

    /**
     * Crashes now, between two operations, and makes the disk usable again: every channel is closed, every lock of this
     * process is released, what survives is what is seen. Cancels a planned crash; armed faults stay.
     */
    public void crash(CrashKind kind) {
        controller.crash(kind);
    }

    /** The next operation the fault applies to suffers it, once. Replaces what was armed for this fault. */
    public void failNext(DiskFault fault) {
        failAfter(0, fault);
    }

    /** As {@link #failNext}, after {@code operations} more of those the fault applies to. */
    public void failAfter(long operations, DiskFault fault) {
        checkNotNegative("operations", operations);
        controller.faults().failOnce(fault, operations);
    }

    /**
     * After {@code operations} more of those the fault applies to, all of them suffer it until {@link #heal()}. Replaces
     * what was armed for this fault.
     */
    public void failFrom(long operations, DiskFault fault) {
        checkNotNegative("operations", operations);
        controller.faults().failFrom(fault, operations);
    }

    /** Each operation the fault applies to suffers it with this probability. Replaces what was armed for this fault. */
    public void failRandomly(DiskFault fault, double probability) {
        if (!(probability >= 0 && probability <= 1)) {
            throw new IllegalArgumentException("probability must be within [0, 1], not " + probability);
        }
        controller.faults().failRandomly(fault, probability);
    }

    /** Disarms every fault and a crash that has not struck yet. What was lost stays lost. */
    public void heal() {
        controller.heal();
    }

    /**
     * Limits the sum of the file sizes. A write beyond it takes what fits and returns that; with no room for a byte it
     * fails with "No space left on device". Names take no space.
     */
    public void capacityBytes(long bytes) {
        checkNotNegative("bytes", bytes);
        controller.capacityBytes(bytes);
    }

    /** From now on no directory can be opened, to be synced, though all can be listed; and files have no keys. */
    public void actAsWindows() {
        controller.actAsWindows();
    }

    /**
     * Runs something before each operation, which may use the disk as another process does; operations of its own included.
     * Nothing more with null.
     */
    public void beforeEach(@Nullable Runnable action) {
        controller.beforeEach(action);
    }

    /** From now on nothing can be changed, until the power is lost, or {@link #mountWritable}. */
    public void mountReadOnly() {
        volume.readOnly(true);
    }

    /** Ends {@link #mountReadOnly}: somebody else can write all the time what is read-only here. */
    public void mountWritable() {
        volume.readOnly(false);
    }

    /**
     * From now on the disk does not give back the bytes of a file from one offset up to another one: a read ends before them, and fails where
     * it begins with one of them. They are as they were once the file is damaged, or written there.
     */
    public void spoil(Path file, long from, long to) {
        FileNode node = existingFile(file);
        if (from < 0 || from >= to || to > node.size()) {
            throw new IllegalArgumentException("bytes " + from + " to " + to + " of " + node.size());
        }
        node.spoil((int) from, (int) to);
    }

    /** The sum of the file sizes, of deleted files that are open too; without an operation. */
    public long usedBytes() {
        return controller.usedBytes();
    }

    /** Forgets the clean pages, as memory pressure does: what a failed sync left only in memory is gone. */
    public void dropCache() {
        volume.dropCache();
    }

    /**
     * Inverts one bit of a file, counted from the lowest bit of the first byte. As after every damage, the rest of the
     * file is then durable as it was seen.
     */
    public void flipBit(Path file, long bitIndex) {
        byte[] content = visibleBytes(file);
        if (bitIndex < 0 || bitIndex >= 8L * content.length) {
            throw new IllegalArgumentException("bit " + bitIndex + " of " + content.length + " bytes");
        }
        content[(int) (bitIndex / 8)] ^= (byte) (1 << (bitIndex % 8));
        damage(file, content);
    }

    /** Cuts a file, durably. */
    public void truncate(Path file, long size) {
        byte[] content = visibleBytes(file);
        if (size < 0 || size > content.length) {
            throw new IllegalArgumentException("size " + size + " of " + content.length + " bytes");
        }
        damage(file, Arrays.copyOf(content, (int) size));
    }

    /** Replaces the content of an existing file, durably: for zeroed, swapped, stale or misdirected bytes. */
    public void damage(Path file, byte[] content) {
        existingFile(file).damage(content);
    }

    /** What readers see, without an operation. */
    public byte[] visibleBytes(Path file) {
        return existingFile(file).visibleBytes();
    }

    /** The names that are seen in a directory, in order, without an operation; none when there is no such directory. */
    public List<String> visibleNames(Path directory) {
        checkAlive();
        return volume.find(DiskPath.of(directory)) instanceof DirectoryNode node
                ? List.copyOf(node.visible().keySet())
                : List.of();
    }

    /** What the disk surely holds, by the name that is seen now, which may itself not be durable. */
    public byte[] durableBytes(Path file) {
        return existingFile(file).durableBytes();
    }

    /**
     * Holds the lock of an existing file as another process does: {@code tryLock} returns null until the result is
     * closed or the power is lost.
     */
    public Closeable lockAsOtherProcess(Path file) {
        FileNode node = existingFile(file);
        if (node.lockHolder() != null) {
            throw new IllegalStateException("already locked: " + file);
        }
        Object mark = new Object();
        node.lockHolder(mark);
        return () -> {
            if (node.lockHolder() == mark) {
                node.lockHolder(null);
            }
        };
    }

    /** How many operations have begun since the disk was made, the crashed one included. */
    public long operations() {
        return controller.operations();
    }

    /** How many of them were syncs of a file or a directory. */
    public long syncs() {
        return controller.syncs();
    }

    /**
     * From now on each channel remembers who opened it, for {@link #openChannels}: to be asked for where one is left open. Not without being
     * asked, because the stack traces of a simulation are deep, and cost much of its time.
     */
    public void rememberOpeners() {
        controller.rememberOpeners();
    }

    /** What is open now, in the order of opening: empty after a clean shutdown. */
    public List<OpenChannel> openChannels() {
        return controller.openChannels().stream().map(DiskChannel::describe).toList();
    }

    /** A hash of all operations, their bytes and their outcomes so far: equal for equal runs. */
    public long traceHash() {
        return controller.trace().hash();
    }

    /** The last 200 operations, oldest first, one line each. */
    public List<String> trace() {
        return controller.trace().lastEvents();
    }

    private FileNode existingFile(Path file) {
        checkAlive();
        if (volume.find(DiskPath.of(file)) instanceof FileNode node) {
            return node;
        }
        throw new IllegalArgumentException("no such file: " + file);
    }

    private void checkAlive() {
        if (controller.dead()) {
            throw new IllegalStateException("the disk has crashed and restart() is due");
        }
    }

    private static void checkNotNegative(String name, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " must not be negative: " + value);
        }
    }
}
