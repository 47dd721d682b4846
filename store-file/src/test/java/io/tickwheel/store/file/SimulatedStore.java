package io.tickwheel.store.file;

import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Durability;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.file.calendar.CalendarView;
import io.tickwheel.store.file.checkpoint.Checkpoint;
import io.tickwheel.store.file.checkpoint.CheckpointView;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.DirectoryLock;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.file.disk.SyncPolicy;
import io.tickwheel.store.file.run.RunFormat;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.DiskFault;
import io.tickwheel.store.testkit.SimulatedCrash;
import io.tickwheel.store.testkit.SimulatedDisk;
import io.tickwheel.store.testkit.StepLimit;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/** A file store on a simulated disk. Which of its two executors runs next, or the loop, is drawn from the seed. */
final class SimulatedStore {

    /** How many finished timers are remembered. */
    static final int FINISHED_REMEMBERED = 1_000;

    final SimulatedDisk disk;
    final SplittableRandom random;

    /** Draws beside the others when the loop has time to sync itself. */
    private final SplittableRandom spare;

    private final FileTimerStore store;
    private SimulatedExecutors executors = new WholeTasks();
    private final Set<Sighting> sightings = EnumSet.noneOf(Sighting.class);
    private Calendar calendar;
    private Calendar opened;
    private boolean closed;
    private final boolean keepsAll;
    private CrashKind planned;
    private boolean lossy;
    private boolean isBusy;

    /** The monotonic clock of the machine. */
    private final AtomicLong monoNanos;

    private final Path directory;
    private final long checkpointBytes;
    private final SyncPolicy syncs;

    /** The planned crash of the disk has struck. */
    static final class Died extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Died(Throwable cause) {
            super(cause);
        }
    }

    SimulatedStore(long seed) {
        this(seed, UnaryOperator.identity());
    }

    /** A store whose path goes through {@code seam}, which can plant a bug below it. */
    SimulatedStore(long seed, UnaryOperator<Path> seam) {
        this(seed, seam, 4_096);
    }

    SimulatedStore(long seed, UnaryOperator<Path> seam, long checkpointBytes) {
        this(seed, seam, checkpointBytes, SyncPolicy.SYNC);
    }

    SimulatedStore(long seed, UnaryOperator<Path> seam, long checkpointBytes, SyncPolicy syncs) {
        this(new SimulatedDisk(seed), new AtomicLong(), seed, seam, checkpointBytes, syncs);
        endProcesses("");
    }

    /** Loop, log and background come between each other at every operation on the disk. */
    static SimulatedStore inPieces(long seed, UnaryOperator<Path> seam) {
        SimulatedStore store = new SimulatedStore(seed, seam);
        return store.workedInPieces(new TasksInPieces(store.random.split()));
    }

    /** The same, but that the test says who does the next operation. */
    static SimulatedStore byHand(long seed) {
        return new SimulatedStore(seed).busy().workedInPieces(new TasksInPieces(null));
    }

    /** The loop always has something else to do: the log syncs all. */
    SimulatedStore busy() {
        isBusy = true;
        return this;
    }

    private SimulatedStore workedInPieces(TasksInPieces pieces) {
        executors = pieces;
        disk.beforeEach(pieces::beforeOperation);
        return this;
    }

    private SimulatedStore(
            SimulatedDisk disk,
            AtomicLong monoNanos,
            long seed,
            UnaryOperator<Path> seam,
            long checkpointBytes,
            SyncPolicy syncs) {
        keepsAll = syncs.isEachFrameSynced();
        this.disk = disk;
        this.checkpointBytes = checkpointBytes;
        this.syncs = syncs;
        directory = seam.apply(directory());
        this.monoNanos = monoNanos;
        random = new SplittableRandom(seed);
        spare = new SplittableRandom(~seed);
        FileTimerStore synced = FileTimerStore.in(directory)
                .withSegmentBytes(4_096)
                .withCheckpointBytes(checkpointBytes)
                .withFinishedRemembered(FINISHED_REMEMBERED)
                .withTurnTimers(turnTimers(seed));
        store = syncs.durability().equals(Durability.INTERVAL)
                ? synced.withSyncInterval(Duration.ofNanos(syncs.intervalNanos()))
                : synced.withDurability(syncs.durability());
    }

    /** Another process on the same machine, with the same directory. */
    SimulatedStore inOtherProcess(long seed, UnaryOperator<Path> seam) {
        return new SimulatedStore(disk, monoNanos, seed, seam, checkpointBytes, syncs);
    }

    /** Few in most, so that a lot comes between. */
    private static int turnTimers(long seed) {
        return seed % 3 == 0 ? 8_192 : (int) (1 + seed % 7);
    }

    Path directory() {
        return disk.path("/data");
    }

    Calendar calendar() {
        return calendar;
    }

    /** Whether it was tried to close it; it takes no calls then. */
    boolean closed() {
        return closed;
    }

    void open(CalendarListener listener) {
        executors.abandon();
        closed = true;
        lookForTornTail();
        boolean hadKeys = !disk.visibleNames(directory().resolve("keys")).isEmpty();
        StoreContext context = new StoreContext(
                executors.log(), executors.background(), () -> {}, random::nextLong, this::monoNanos, nanos -> {});
        try {
            opened = store.open(context, listener);
            calendar = mortal(opened);
        } catch (SimulatedCrash crash) {
            sightings.add(Sighting.CRASH_IN_RECOVERY);
            throw new Died(crash);
        }
        closed = false;
        checkAlive();
        lookAtOpenStore(hadKeys);
    }

    long storeId() {
        return CalendarView.storeId(opened);
    }

    int epoch() {
        return CalendarView.epoch(opened);
    }

    /** Why the store takes nothing any more, when it had to give up. */
    StoreFailedException failure() {
        return CalendarView.failure(opened);
    }

    Set<Sighting> sightings() {
        return sightings;
    }

    private void lookForTornTail() {
        Path commitLog = directory().resolve("commitlog");
        List<String> segments = disk.visibleNames(commitLog).stream()
                .filter(name -> name.endsWith(SegmentName.SUFFIX))
                .toList();
        if (!segments.isEmpty()) {
            byte[] last = disk.visibleBytes(commitLog.resolve(segments.get(segments.size() - 1)));
            if (StoreImage.isTorn(last)) {
                sightings.add(Sighting.TORN_TAIL);
            }
        }
    }

    private void lookAtOpenStore(boolean hadKeys) {
        Path scheduleLog = directory().resolve("schedulelog");
        boolean hasRuns = false;
        for (String name : disk.visibleNames(scheduleLog)) {
            if (name.endsWith(DataDirectory.RUN_SUFFIX)) {
                hasRuns = true;
                ByteBuffer run = ByteBuffer.wrap(disk.visibleBytes(scheduleLog.resolve(name)))
                        .order(ByteOrder.LITTLE_ENDIAN);
                switch (RunFormat.Tier.ofNumber(run.getInt(run.limit() - RunFormat.TRAILER_BYTES + 12))) {
                    case FAR -> sightings.add(Sighting.RUN_OF_FAR_TIER);
                    case DEAD -> sightings.add(Sighting.RUN_OF_DEAD_TIER);
                    case NEAR, MID -> {}
                }
            }
        }
        if (hasRuns) {
            // Keys that do not belong to the manifest are gone by now.
            boolean keys =
                    hadKeys && !disk.visibleNames(directory().resolve("keys")).isEmpty();
            sightings.add(keys ? Sighting.KEYS_USED : Sighting.INDEX_REBUILT);
        }
    }

    /** Whether timers are on their way to new runs. */
    boolean isMoving() {
        Checkpoint checkpoint = CalendarView.checkpoint(opened);
        return checkpoint != null && CheckpointView.isMoving(checkpoint);
    }

    /** To be called when a cancel takes effect, or a claim. */
    void look(Sighting whenMoving) {
        Checkpoint checkpoint = CalendarView.checkpoint(opened);
        if (checkpoint != null) {
            if (isMoving()) {
                sightings.add(whenMoving);
            }
            if (CheckpointView.rewritesRuns(checkpoint)) {
                sightings.add(Sighting.RUNS_REWRITTEN);
            }
        }
    }

    void lookAtClaim() {
        look(Sighting.CLAIM_WHILE_MOVING);
        if (CalendarView.isIndexing(opened)) {
            sightings.add(Sighting.CLAIM_WHILE_INDEXING);
        }
    }

    void lookAtFound() {
        if (CalendarView.isIndexing(opened)) {
            sightings.add(Sighting.FOUND_WHILE_INDEXING);
        }
    }

    private void lookAtTrace() {
        boolean runNamed = false;
        boolean recycled = false;
        for (String operation : disk.trace()) {
            if (operation.contains("SYNC_DIRECTORY") && operation.contains("schedulelog")) {
                runNamed = false;
            } else if (operation.contains("RENAME")) {
                runNamed |= operation.contains(DataDirectory.RUN_SUFFIX);
                recycled |= operation.endsWith(SegmentName.SUFFIX);
                if (recycled && operation.matches(".*/spare-\\w+-\\d")) {
                    sightings.add(Sighting.SEGMENT_RECYCLED);
                }
            } else if (operation.contains(" SYNC ") && operation.contains("_ERROR")) {
                sightings.add(Sighting.FAILED_SYNC);
            }
        }
        if (runNamed) {
            sightings.add(Sighting.CRASH_BEHIND_RENAME_OF_RUN);
        }
    }

    /** Any call may read the disk, and die there. */
    private Calendar mortal(Calendar opened) {
        return (Calendar) Proxy.newProxyInstance(
                SimulatedStore.class.getClassLoader(), new Class<?>[] {Calendar.class}, (proxy, method, arguments) -> {
                    try {
                        return method.invoke(opened, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    } finally {
                        // Whatever the store makes of it: who is dead gives no answer.
                        checkAlive();
                    }
                });
    }

    /** Time passes with each look at the clock. */
    private long monoNanos() {
        return monoNanos.addAndGet(200_000);
    }

    /** The log makes its next operation on the disk, or does its next task. */
    void stepLog() {
        executors.stepLog();
        checkAlive();
    }

    /** The background makes its next operation on the disk, or does its next task. */
    void stepBackground() {
        executors.stepBackground();
        checkAlive();
    }

    boolean isCheckpointing() {
        return CalendarView.checkpoint(opened) != null;
    }

    /** One turn of the loop, or one task of an executor. */
    void step() {
        switch (random.nextInt(3)) {
            case 0 -> work();
            case 1 -> executors.stepLog();
            default -> executors.stepBackground();
        }
        checkAlive();
    }

    void work() {
        try {
            calendar.work(1 + random.nextInt(20), isBusy || spare.nextBoolean() ? 0 : Long.MAX_VALUE);
        } finally {
            checkAlive();
        }
    }

    /** Until commands take effect at once. */
    void awaitIndex() {
        stepWhile(() -> CalendarView.isIndexing(opened));
    }

    /** Until nothing is left to do: a checkpoint that is under way is ended too. */
    void settle() {
        StepLimit limit = new StepLimit();
        do {
            stepWhile(() -> !executors.isIdle());
            work();
            limit.step();
        } while (!executors.isIdle() || !calendar.isQuiet());
    }

    /** As {@link #settle}, and then some turns of the loop in which nobody wants anything. */
    void rest() {
        for (int turn = 0; turn < 10; turn++) {
            settle();
            stepWhile(() -> CalendarView.isIndexing(opened) || CalendarView.checkpoint(opened) != null);
        }
    }

    private void stepWhile(BooleanSupplier busy) {
        StepLimit limit = new StepLimit();
        while (busy.getAsBoolean()) {
            step();
            limit.step();
        }
    }

    /** Runs what the executors still have, as their shutdown does. */
    void runOut() {
        StepLimit limit = new StepLimit();
        while (!executors.isIdle()) {
            executors.stepLog();
            checkAlive();
            executors.stepBackground();
            checkAlive();
            limit.step();
        }
    }

    /** As an engine does that is to close it. */
    void handOver() {
        calendar.handOver();
    }

    boolean isQuiet() {
        return calendar.isQuiet();
    }

    /** As an engine closes it: as soon as it is quiet, with a checkpoint under way or not. */
    void close() {
        stepWhile(() -> !calendar.isQuiet());
        closeNow();
    }

    void closeNow() {
        closed = true;
        try {
            calendar.close();
        } catch (SimulatedCrash crash) {
            throw new Died(crash);
        } finally {
            checkAlive();
        }
    }

    /** Ends the process, or the power, now; or completes the crash that has struck. */
    void crash(CrashKind kind) {
        lookAtTrace();
        endProcess();
        executors.abandon();
        if (disk.crashed()) {
            mayLose(planned);
            disk.restart();
        } else {
            mayLose(kind);
            disk.crash(kind);
        }
    }

    /** Lets go of what the executors have, without an end of the process. */
    void abandon() {
        executors.abandon();
    }

    /** What a process has in its JVM is gone with it. */
    void endProcess() {
        endProcesses(Integer.toHexString(System.identityHashCode(directory.getFileSystem())));
    }

    /** Those on simulated disks whose names begin so: courses often end with a store that is open, and thousands are run. */
    private static void endProcesses(String fileSystems) {
        Pattern simulated = Pattern.compile(Pattern.quote(DirectoryLock.PROPERTY) + fileSystems + "[0-9a-f]*:.*");
        System.getProperties()
                .keySet()
                .removeIf(property -> simulated.matcher(property.toString()).matches());
    }

    /** As {@link SimulatedDisk#crashAfter}. */
    void crashAfter(long operations, CrashKind kind) {
        planned = kind;
        disk.crashAfter(operations, kind);
    }

    private void mayLose(CrashKind kind) {
        if (kind != CrashKind.PROCESS_KILL) {
            lossy = true;
        }
    }

    /** A failed sync may have lost what a store without a sync for each answer had answered. */
    void failed() {
        lossy = true;
    }

    /** Whether answers may have been lost since this was asked last. */
    boolean mayHaveLost() {
        boolean lost = lossy && !keepsAll;
        lossy = false;
        return lost;
    }

    CrashKind anyKind() {
        CrashKind[] kinds = CrashKind.values();
        return kinds[random.nextInt(kinds.length)];
    }

    DiskFault anyFault() {
        DiskFault[] faults = DiskFault.values();
        return faults[random.nextInt(faults.length)];
    }

    private void checkAlive() {
        if (disk.crashed()) {
            throw new Died(null);
        }
    }
}
