package io.tickwheel.store.testkit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The one door to the disk: every operation passes here, is counted and traced, and meets its crash or fault. Holds what
 * a process has open. Not thread-safe.
 */
final class DiskController {
    private static final AtomicInteger DISKS = new AtomicInteger();

    private final Volume volume;
    private final FaultPlan faults = new FaultPlan();
    private final OperationTrace trace = new OperationTrace();
    private final Set<DiskChannel> openChannels = new LinkedHashSet<>();

    /** Streams of their own, so that a draw more in one leaves the others as they were. */
    private final SplittableRandom faultRandom;

    private final SplittableRandom crashRandom;
    private final SplittableRandom orderRandom;

    private long operations;
    private long syncs;
    private long capacityBytes = Long.MAX_VALUE;
    private long crashAtOperation = Long.MAX_VALUE;
    private CrashKind crashKind = CrashKind.PROCESS_KILL;
    private boolean dead;
    private boolean lastShortWriteWasEmpty;
    private boolean actsAsWindows;
    private boolean remembersOpeners;
    private @Nullable Runnable beforeEach;
    private final int diskNumber = DISKS.incrementAndGet();
    private final Map<Node, Integer> fileNumbers = new WeakHashMap<>();
    private int fileCount;
    private int crashes;

    DiskController(Volume volume, long seed) {
        this.volume = volume;
        SplittableRandom root = new SplittableRandom(seed);
        faultRandom = root.split();
        crashRandom = root.split();
        orderRandom = root.split();
    }

    /** An operation on names or attributes. */
    interface Step<T> {
        T take() throws IOException;
    }

    /** Runs a step that either happens whole or not at all. */
    <T> T run(DiskOperation operation, DiskPath path, Step<T> step) throws IOException {
        DiskFault fault = begin(operation);
        trace.add(operations, operation, path.toString(), 0, 0, outcome(fault));
        if (dead) {
            if (crashRandom.nextBoolean()) {
                takeUnheard(step);
            }
            throw crashed(operation, path.toString());
        }
        if (fault != null) {
            throw new FileSystemException(path.toString(), null, fault.message());
        }
        return step.take();
    }

    private static <T> void takeUnheard(Step<T> step) {
        try {
            step.take();
        } catch (IOException | OverlappingFileLockException refused) {
            // The step had no effect, and the caller is dying: nobody is left to be told.
        }
    }

    int read(FileNode file, String path, long position, ByteBuffer target) throws IOException {
        DiskFault fault = begin(DiskOperation.READ);
        int length = (int) Math.max(0, Math.min(target.remaining(), file.size() - position));
        trace.add(operations, DiskOperation.READ, path, position, length, outcome(fault));
        if (dead) {
            throw crashed(DiskOperation.READ, path);
        }
        if (fault != null) {
            throw new IOException(fault.message());
        }
        if (position >= file.size()) {
            return -1;
        }
        if (file.isSpoiled((int) position)) {
            throw new IOException(DiskFault.READ_ERROR.message());
        }
        return file.read((int) position, target);
    }

    /** Writes a prefix of {@code bytes} and returns its length. */
    int write(FileNode file, String path, long position, byte[] bytes) throws IOException {
        if (position + bytes.length > Integer.MAX_VALUE - 8) {
            throw new IOException("File too large: " + path);
        }
        DiskFault fault = begin(DiskOperation.WRITE);
        refuseIfReadOnly(DiskOperation.WRITE, path);
        int length = bytes.length;
        if (dead) {
            length = crashRandom.nextInt(length + 1);
        } else if (fault == DiskFault.SHORT_WRITE) {
            length = shorten(length);
        } else if (fault != null) {
            length = faultRandom.nextInt(length + 1);
        }
        int fitting = (int) Math.max(0, Math.min(length, endLimit(file) - position));
        if (fitting == 0 && length > 0 && !dead) {
            fault = DiskFault.NO_SPACE;
        }
        file.write((int) position, bytes, fitting);
        trace.add(operations, DiskOperation.WRITE, path, position, fitting, outcome(fault));
        trace.mix(Arrays.hashCode(bytes));
        if (dead) {
            throw crashed(DiskOperation.WRITE, path);
        }
        if (fault != null && fault != DiskFault.SHORT_WRITE) {
            throw new IOException(fault.message());
        }
        return fitting;
    }

    /** How far space allows the file to reach. */
    private long endLimit(FileNode file) {
        return capacityBytes == Long.MAX_VALUE ? Long.MAX_VALUE : file.size() + usableBytes();
    }

    private int shorten(int length) {
        if (!lastShortWriteWasEmpty && faultRandom.nextInt(8) == 0) {
            lastShortWriteWasEmpty = true;
            return 0;
        }
        lastShortWriteWasEmpty = false;
        return length <= 1 ? length : 1 + faultRandom.nextInt(length - 1);
    }

    void truncate(FileNode file, String path, int size) throws IOException {
        DiskFault fault = begin(DiskOperation.TRUNCATE);
        refuseIfReadOnly(DiskOperation.TRUNCATE, path);
        trace.add(operations, DiskOperation.TRUNCATE, path, size, 0, outcome(fault));
        if (fault != null) {
            throw new IOException(fault.message());
        }
        if (!dead || crashRandom.nextBoolean()) {
            file.truncate(size);
        }
        if (dead) {
            throw crashed(DiskOperation.TRUNCATE, path);
        }
    }

    /** Returns the fault the sync suffered, after its effect; the channel knows what it still has to report. */
    @Nullable
    DiskFault sync(FileNode file, String path, boolean metadata) throws IOException {
        DiskFault fault = beginSync(DiskOperation.SYNC, path);
        if (fault != null) {
            file.failSync(faultRandom);
        } else if (!dead || crashRandom.nextBoolean()) {
            file.sync();
            if (metadata) {
                volume.commit();
            }
        }
        if (dead) {
            throw crashed(DiskOperation.SYNC, path);
        }
        return fault;
    }

    void sync(DirectoryNode directory, String path) throws IOException {
        DiskFault fault = beginSync(DiskOperation.SYNC_DIRECTORY, path);
        if (fault != null) {
            volume.abortJournal(directory, faultRandom);
            throw new IOException(fault.message());
        }
        if (!dead || crashRandom.nextBoolean()) {
            volume.sync(directory);
        }
        if (dead) {
            throw crashed(DiskOperation.SYNC_DIRECTORY, path);
        }
    }

    private @Nullable DiskFault beginSync(DiskOperation operation, String path) throws IOException {
        DiskFault fault = begin(operation);
        syncs++;
        refuseIfReadOnly(operation, path);
        trace.add(operations, operation, path, 0, 0, outcome(fault));
        return fault;
    }

    private void refuseIfReadOnly(DiskOperation operation, String path) throws IOException {
        if (volume.readOnly()) {
            if (dead) {
                throw crashed(operation, path);
            }
            trace.add(operations, operation, path, 0, 0, "READ_ONLY");
            volume.checkWritable();
        }
    }

    private @Nullable DiskFault begin(DiskOperation operation) {
        Runnable action = beforeEach;
        if (action != null && !dead) {
            action.run();
        }
        if (dead) {
            throw new SimulatedCrash(operation + " after the crash at operation " + operations + "; restart() is due");
        }
        operations++;
        if (operations >= crashAtOperation) {
            dead = true;
            return null;
        }
        return faults.next(operation, faultRandom);
    }

    private String outcome(@Nullable DiskFault fault) {
        return dead ? crashKind.name() : fault == null ? "" : fault.name();
    }

    private SimulatedCrash crashed(DiskOperation operation, String path) {
        return new SimulatedCrash(crashKind + " at operation " + operations + ": " + operation + " " + path);
    }

    void planCrash(long after, CrashKind kind) {
        crashAtOperation = after < Long.MAX_VALUE - operations ? operations + after + 1 : Long.MAX_VALUE;
        crashKind = kind;
    }

    boolean dead() {
        return dead;
    }

    CrashKind plannedCrash() {
        return crashKind;
    }

    /** Ends the process and, unless it was merely killed, the power; then the disk is usable again. */
    void crash(CrashKind kind) {
        trace.mix(kind.name().hashCode());
        for (DiskChannel channel : List.copyOf(openChannels)) {
            channel.abandon();
        }
        openChannels.clear();
        if (kind != CrashKind.PROCESS_KILL) {
            volume.losePower(kind, crashRandom);
        }
        crashAtOperation = Long.MAX_VALUE;
        dead = false;
        crashes++;
    }

    void heal() {
        faults.clear();
        if (!dead) {
            crashAtOperation = Long.MAX_VALUE;
        }
    }

    void rememberOpeners() {
        remembersOpeners = true;
    }

    boolean remembersOpeners() {
        return remembersOpeners;
    }

    void opened(DiskChannel channel) {
        openChannels.add(channel);
    }

    void closed(DiskChannel channel) {
        openChannels.remove(channel);
    }

    Set<DiskChannel> openChannels() {
        return Collections.unmodifiableSet(openChannels);
    }

    FaultPlan faults() {
        return faults;
    }

    OperationTrace trace() {
        return trace;
    }

    /** For the order in which a directory lists its names, which no file system promises. */
    SplittableRandom orderRandom() {
        return orderRandom;
    }

    long operations() {
        return operations;
    }

    long syncs() {
        return syncs;
    }

    boolean actsAsWindows() {
        return actsAsWindows;
    }

    void actAsWindows() {
        actsAsWindows = true;
    }

    void beforeEach(@Nullable Runnable action) {
        beforeEach = action;
    }

    /** Tells a file from all others there are, on this disk and others, and from what it was before a crash. */
    @Nullable
    Object fileKey(Node node) {
        return actsAsWindows
                ? null
                : new FileKey(diskNumber, crashes, fileNumbers.computeIfAbsent(node, each -> ++fileCount));
    }

    private record FileKey(int disk, int life, int file) {}

    long capacityBytes() {
        return capacityBytes;
    }

    void capacityBytes(long bytes) {
        capacityBytes = bytes;
    }

    long usableBytes() {
        return Math.max(0, capacityBytes - usedBytes());
    }

    /** Deleted files count until their last channel is closed. */
    long usedBytes() {
        Set<Node> counted = Collections.newSetFromMap(new IdentityHashMap<>());
        volume.forEachNode(counted::add);
        openChannels.forEach(channel -> counted.add(channel.node()));
        long used = 0;
        for (Node node : counted) {
            if (node instanceof FileNode file) {
                used += file.size();
            }
        }
        return used;
    }
}
