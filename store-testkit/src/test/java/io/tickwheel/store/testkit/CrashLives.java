package io.tickwheel.store.testkit;

import io.tickwheel.store.testkit.SmallLog.Bug;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Lets one {@link SmallLog} live, crash and recover several times on one disk, and compares each recovery with what was
 * acknowledged before. All choices come from the seed.
 */
final class CrashLives {
    private final long seed;
    private final SimulatedDisk disk;
    private final SplittableRandom random;
    private final Bug bug;

    /** The registers after each attempted record; the index is the sequence. */
    private final List<long[]> history = new ArrayList<>(List.of(new long[SmallLog.REGISTERS]));

    /** The last record a caller was told of, by an acknowledgement or by a recovery that showed it. */
    private long decided;

    private @Nullable String loss;

    CrashLives(long seed, Bug bug) {
        this.seed = seed;
        this.disk = new SimulatedDisk(seed);
        this.random = new SplittableRandom(seed);
        this.bug = bug;
    }

    long seed() {
        return seed;
    }

    SimulatedDisk disk() {
        return disk;
    }

    /** Some lives with faults and crashes of all kinds, and a last one without; returns what was lost, if anything. */
    @Nullable
    String run() {
        int lives = 2 + random.nextInt(5);
        for (int life = 0; life < lives && loss == null; life++) {
            if (random.nextInt(4) == 0) {
                disk.failRandomly(DiskFault.SHORT_WRITE, 0.2);
            }
            if (random.nextInt(4) == 0) {
                disk.failRandomly(DiskFault.SYNC_ERROR, 0.05);
            }
            if (random.nextInt(8) == 0) {
                disk.failRandomly(DiskFault.WRITE_ERROR, 0.05);
            }
            if (random.nextInt(8) == 0) {
                disk.failRandomly(DiskFault.JOURNAL_ERROR, 0.1);
            }
            CrashKind[] kinds = CrashKind.values();
            // Short lives are common, so that a crash strikes in recovery, and in the recovery from that one.
            int horizon = random.nextInt(4) == 0 ? 30 : 200;
            live(random.nextInt(horizon), kinds[random.nextInt(kinds.length)], random.nextInt(30));
            disk.heal();
        }
        disk.crash(CrashKind.POWER_LOSS);
        return verify();
    }

    /** One life, which ends with a planned crash, an error that stops the log, or a sudden end. */
    void live(long operations, CrashKind kind, int records) {
        disk.crashAfter(operations, kind);
        try {
            SmallLog log = new SmallLog(disk.path("log"), bug);
            check(log);
            for (int i = 0; i < records && loss == null; i++) {
                append(log);
            }
            disk.crash(kind);
        } catch (SimulatedCrash crash) {
            disk.restart();
        } catch (IOException stopped) {
            disk.crash(kind);
        } catch (IllegalStateException damaged) {
            loss = damaged.getMessage();
        }
    }

    private void append(SmallLog log) throws IOException {
        int register = random.nextInt(SmallLog.REGISTERS);
        long value = random.nextLong();
        long[] next = log.registers();
        next[register] = value;
        history.subList((int) log.sequence() + 1, history.size()).clear();
        history.add(next);
        log.append(register, value, random.nextInt(3) == 0 ? random.nextInt(1500) : 0);
        decided = log.sequence();
    }

    /** Recovers without faults. */
    @Nullable
    String verify() {
        if (loss == null) {
            try (SmallLog log = new SmallLog(disk.path("log"), bug)) {
                check(log);
            } catch (IOException impossible) {
                throw new AssertionError("no fault is armed", impossible);
            } catch (IllegalStateException damaged) {
                loss = damaged.getMessage();
            }
        }
        return loss;
    }

    private void check(SmallLog log) {
        long recovered = log.sequence();
        if (recovered < decided) {
            loss = "record " + decided + " was acknowledged, the log ends at " + recovered;
        } else if (recovered >= history.size()) {
            loss = "record " + recovered + " was never written";
        } else if (!Arrays.equals(log.registers(), history.get((int) recovered))) {
            loss = "record " + recovered + " has other bytes than were written";
        }
        decided = recovered;
    }
}
