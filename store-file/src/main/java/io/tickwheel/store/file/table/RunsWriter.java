package io.tickwheel.store.file.table;

import io.tickwheel.store.Lane;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.DurableFiles;
import io.tickwheel.store.file.memory.ChunkPool;
import io.tickwheel.store.file.memory.LongPairs;
import io.tickwheel.store.file.run.RunFormat;
import io.tickwheel.store.file.run.RunScan;
import io.tickwheel.store.file.run.RunWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.IntSupplier;

/**
 * Writes timers to new runs, one for each tier, sorted by due time and seq: those of a memtable, or what is left of some runs.
 * What has ended is not written. Used by one background task.
 */
public final class RunsWriter implements AutoCloseable {

    private static final int TOUCHED_AT_ONCE = 64;
    private static final int TOUCHED_LINES = 3;
    private static final int LINE_BYTES = 64;

    private final DataDirectory directory;
    private final long storeId;
    private final int epoch;
    private final IntSupplier numbers;
    private final long nowMs;
    private final ChunkPool pool;
    private final Map<RunFormat.Tier, RunWriter> open = new EnumMap<>(RunFormat.Tier.class);
    private final long[] places = new long[TOUCHED_AT_ONCE];

    /** Means nothing; keeps what was read ahead from being left out. */
    long touched;

    private final List<RunWriter.Written> written = new ArrayList<>();

    /**
     * @param epoch of the owner
     * @param numbers gives the number of the next run
     * @param nowMs decides how far ahead a timer is
     * @param pool for what is kept of each timer while it is written
     */
    public RunsWriter(
            DataDirectory directory, long storeId, int epoch, IntSupplier numbers, long nowMs, ChunkPool pool) {
        this.directory = directory;
        this.storeId = storeId;
        this.epoch = epoch;
        this.numbers = numbers;
        this.nowMs = nowMs;
        this.pool = pool;
    }

    /** Writes what has not ended of a memtable that gets no more timers. */
    public void write(Memtable memtable, List<Lane> lanes) throws IOException {
        LongPairs sorted = sorted(memtable);
        try {
            for (long i = 0; i < sorted.size(); i++) {
                if (i % TOUCHED_AT_ONCE == 0) {
                    touch(memtable, sorted, i);
                }
                add(memtable, (int) sorted.value(i), sorted.key(i), lanes);
            }
        } finally {
            sorted.free();
        }
    }

    /** The ordinals that have not ended, which rise with the seqs, in the order of their attempts. */
    private LongPairs sorted(Memtable memtable) {
        LongPairs ordinals = new LongPairs(pool);
        for (int ordinal = 0; ordinal < memtable.size(); ordinal++) {
            if (!memtable.isEnded(ordinal)) {
                ordinals.add(memtable.attemptAtMs(ordinal), ordinal);
            }
        }
        ordinals.sort();
        return ordinals;
    }

    private void add(Memtable memtable, int ordinal, long attemptAtMs, List<Lane> lanes) throws IOException {
        long where = memtable.where(ordinal);
        writer(RunFormat.Tier.of(attemptAtMs, memtable.isDead(ordinal), nowMs))
                .add(
                        attemptAtMs,
                        memtable.seq(ordinal),
                        memtable.hash(ordinal),
                        lanes.get(memtable.laneNumber(ordinal)),
                        memtable.recordChunk(where),
                        Memtable.recordOffset(where),
                        memtable.recordLength(where),
                        memtable.number(),
                        ordinal);
    }

    /** Reads what comes next, so that each does not wait for memory by itself: due times jump about in what was scheduled. */
    private void touch(Memtable memtable, LongPairs sorted, long from) {
        int count = (int) Math.min(TOUCHED_AT_ONCE, sorted.size() - from);
        for (int i = 0; i < count; i++) {
            places[i] = memtable.where((int) sorted.value(from + i));
        }
        int read = 0;
        for (int i = 0; i < count; i++) {
            ByteBuffer chunk = memtable.recordChunk(places[i]);
            int at = (int) places[i];
            for (int line = 0;
                    line < TOUCHED_LINES && at + line * LINE_BYTES + Integer.BYTES <= chunk.limit();
                    line++) {
                read += chunk.getInt(at + line * LINE_BYTES);
            }
        }
        touched += read;
    }

    /** Writes what has not ended of some runs, merged. */
    public void write(List<Run> runs, List<BitSet> ended) throws IOException {
        PriorityQueue<RunScan> scans = new PriorityQueue<>(
                Comparator.comparingLong(RunScan::attemptAtMs).thenComparingLong(RunScan::seq));
        for (int i = 0; i < runs.size(); i++) {
            RunScan scan = new RunScan(runs.get(i).file(), ended.get(i));
            if (scan.next()) {
                scans.add(scan);
            }
        }
        for (RunScan scan = scans.poll(); scan != null; scan = scans.poll()) {
            int at = scan.readRecord();
            ByteBuffer window = scan.window();
            boolean dead = scan.file.isDead();
            writer(RunFormat.Tier.of(scan.attemptAtMs(), dead, nowMs))
                    .add(
                            scan.attemptAtMs(),
                            scan.seq(),
                            scan.hash(),
                            scan.lane(),
                            window,
                            at,
                            scan.length(),
                            scan.file.number(),
                            scan.ordinal());
            if (scan.next()) {
                scans.add(scan);
            }
        }
    }

    private RunWriter writer(RunFormat.Tier tier) throws IOException {
        RunWriter writer = open.get(tier);
        if (writer != null && writer.isFull()) {
            written.add(writer.finish());
            open.remove(tier);
            writer = null;
        }
        if (writer == null) {
            writer = new RunWriter(directory, storeId, RunFormat.fileNumber(epoch, numbers.getAsInt()), tier, pool);
            open.put(tier, writer);
        }
        return writer;
    }

    /** Completes and syncs the files, and their names. */
    public List<RunWriter.Written> finish() throws IOException {
        for (RunWriter writer : open.values()) {
            written.add(writer.finish());
        }
        open.clear();
        if (!written.isEmpty()) {
            directory.syncScheduleLog();
        }
        return written;
    }

    /** Deletes what was written: nothing of it counts yet. */
    public void discard() throws IOException {
        for (RunWriter.Written run : written) {
            DurableFiles.discard(directory.run(run.fileNumber()));
            run.origins().free();
        }
        for (RunWriter writer : open.values()) {
            writer.discard();
        }
    }

    /** Gives up what is not finished. */
    @Override
    public void close() throws IOException {
        for (RunWriter writer : open.values()) {
            writer.close();
        }
    }
}
