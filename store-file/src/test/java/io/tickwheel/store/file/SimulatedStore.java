package io.tickwheel.store.file;

import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.Durability;
import io.tickwheel.store.StoreContext;
import io.tickwheel.testkit.CrashKind;
import io.tickwheel.testkit.DiskFault;
import io.tickwheel.testkit.SimulatedCrash;
import io.tickwheel.testkit.SimulatedDisk;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/** A file store on a simulated disk. Which of its two executors runs next, or the loop, is drawn from the seed. */
final class SimulatedStore {

    final SimulatedDisk disk;
    final SplittableRandom random;
    private final FileTimerStore store;
    private final ArrayDeque<Runnable> log = new ArrayDeque<>();
    private final ArrayDeque<Runnable> background = new ArrayDeque<>();
    private Calendar calendar;
    private boolean closed;
    private final boolean keepsAll;
    private CrashKind planned;
    private boolean lossy;
    private long monoNanos;

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
        keepsAll = syncs.isEachFrameSynced();
        disk = new SimulatedDisk(seed);
        random = new SplittableRandom(seed);
        FileTimerStore synced = FileTimerStore.in(seam.apply(directory()))
                .withSegmentBytes(4_096)
                .withCheckpointBytes(checkpointBytes)
                .withFinishedRemembered(1_000);
        store = syncs.durability() == Durability.INTERVAL
                ? synced.withSyncInterval(Duration.ofNanos(syncs.intervalNanos()))
                : synced.withDurability(syncs.durability());
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
        log.clear();
        background.clear();
        closed = true;
        StoreContext context = new StoreContext(
                log::addLast, background::addLast, () -> {}, random::nextLong, this::monoNanos, nanos -> {});
        try {
            calendar = mortal(store.open(context, listener));
        } catch (SimulatedCrash crash) {
            throw new Died(crash);
        }
        closed = false;
        checkAlive();
    }

    /** Any call may read the disk, and die there. */
    private Calendar mortal(Calendar opened) {
        return (Calendar) Proxy.newProxyInstance(
                SimulatedStore.class.getClassLoader(), new Class<?>[] {Calendar.class}, (proxy, method, arguments) -> {
                    try {
                        return method.invoke(opened, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause() instanceof SimulatedCrash crash ? new Died(crash) : e.getCause();
                    }
                });
    }

    /** Time passes with each look at the clock. */
    private long monoNanos() {
        return monoNanos += 200_000;
    }

    /** One turn of the loop, or one task of an executor. */
    void step() {
        switch (random.nextInt(3)) {
            case 0 -> work();
            case 1 -> run(log);
            default -> run(background);
        }
    }

    void work() {
        try {
            calendar.work(1 + random.nextInt(20));
        } finally {
            checkAlive();
        }
    }

    private void run(ArrayDeque<Runnable> lane) {
        Runnable task = lane.poll();
        if (task != null) {
            task.run();
            checkAlive();
        }
    }

    /** Until nothing is left to do: a checkpoint that is under way is ended too. */
    void settle() {
        do {
            while (!log.isEmpty() || !background.isEmpty()) {
                step();
            }
            work();
        } while (!log.isEmpty() || !background.isEmpty() || !calendar.isQuiet());
    }

    /** As {@link #settle}, and then some turns of the loop in which nobody wants anything. */
    void rest() {
        for (int turn = 0; turn < 10; turn++) {
            settle();
        }
    }

    /** Runs what the executors still have, as their shutdown does. */
    void runOut() {
        while (!log.isEmpty() || !background.isEmpty()) {
            run(log);
            run(background);
        }
    }

    /** As an engine closes it: as soon as it is quiet, with a checkpoint under way or not. */
    void close() {
        while (!calendar.isQuiet()) {
            step();
        }
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
        log.clear();
        background.clear();
        if (disk.crashed()) {
            mayLose(planned);
            disk.restart();
        } else {
            mayLose(kind);
            disk.crash(kind);
        }
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
