package io.tickwheel.store.file;

import io.tickwheel.store.Lane;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
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
final class RunsWriter implements AutoCloseable {

    private static final int TOUCHED_AT_ONCE = 64;
    private static final int TOUCHED_LINES = 3;
    private static final int LINE_BYTES = 64;

    private final DataDirectory directory;
    private final long storeId;
    private final int epoch;
    private final IntSupplier numbers;
    private final long nowMs;
    private final Map<RunFormat.Tier, RunWriter> open = new EnumMap<>(RunFormat.Tier.class);
    private final long[] places = new long[TOUCHED_AT_ONCE];

    /** Means nothing; keeps what was read ahead from being left out. */
    long touched;

    private final List<RunWriter.Written> written = new ArrayList<>();

    /**
     * @param epoch of the owner
     * @param numbers gives the number of the next run
     * @param nowMs decides how far ahead a timer is
     */
    RunsWriter(DataDirectory directory, long storeId, int epoch, IntSupplier numbers, long nowMs) {
        this.directory = directory;
        this.storeId = storeId;
        this.epoch = epoch;
        this.numbers = numbers;
        this.nowMs = nowMs;
    }

    /** Writes what has not ended of a memtable that gets no more timers. */
    void write(Memtable memtable, List<Lane> lanes) throws IOException {
        long[] dues = new long[memtable.size()];
        int[] ordinals = new int[memtable.size()];
        int present = 0;
        for (int ordinal = 0; ordinal < memtable.size(); ordinal++) {
            if (!memtable.isEnded(ordinal)) {
                dues[present] = memtable.attemptAtMs(ordinal);
                ordinals[present] = ordinal;
                present++;
            }
        }
        int[] sorted = sorted(dues, ordinals, present);
        for (int i = 0; i < sorted.length; i++) {
            if (i % TOUCHED_AT_ONCE == 0) {
                touch(memtable, sorted, i);
            }
            int ordinal = sorted[i];
            long where = memtable.where(ordinal);
            long attemptAtMs = memtable.attemptAtMs(ordinal);
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
    }

    /** Reads what comes next, so that each does not wait for memory by itself: due times jump about in what was scheduled. */
    private void touch(Memtable memtable, int[] sorted, int from) {
        int count = Math.min(TOUCHED_AT_ONCE, sorted.length - from);
        for (int i = 0; i < count; i++) {
            places[i] = memtable.where(sorted[from + i]);
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

    /** Sorts ordinals, which rise, by due time; stable. */
    static int[] sorted(long[] dues, int[] ordinals, int count) {
        long min = Long.MAX_VALUE;
        long max = Long.MIN_VALUE;
        for (int i = 0; i < count; i++) {
            min = Math.min(min, dues[i]);
            max = Math.max(max, dues[i]);
        }
        int indexBits = Integer.SIZE - Integer.numberOfLeadingZeros(count);
        int[] sorted = new int[count];
        if (count > 0 && max - min >= 0 && max - min < 1L << (63 - indexBits)) {
            long[] packed = new long[count];
            for (int i = 0; i < count; i++) {
                packed[i] = ((dues[i] - min) << indexBits) | i;
            }
            Arrays.sort(packed);
            for (int i = 0; i < count; i++) {
                sorted[i] = ordinals[(int) (packed[i] & ((1L << indexBits) - 1))];
            }
        } else {
            DueHeap heap = new DueHeap();
            for (int i = 0; i < count; i++) {
                heap.add(dues[i], ordinals[i]);
            }
            for (int i = 0; i < count; i++) {
                sorted[i] = heap.firstOrdinal();
                heap.poll();
            }
        }
        return sorted;
    }

    /** Writes what has not ended of some runs, merged. */
    void write(List<Run> runs, List<BitSet> ended) throws IOException {
        PriorityQueue<RunScan> scans = new PriorityQueue<>(
                Comparator.comparingLong(RunScan::attemptAtMs).thenComparingLong(RunScan::seq));
        for (int i = 0; i < runs.size(); i++) {
            RunScan scan = new RunScan(runs.get(i), ended.get(i));
            if (scan.next()) {
                scans.add(scan);
            }
        }
        for (RunScan scan = scans.poll(); scan != null; scan = scans.poll()) {
            int at = scan.readRecord();
            ByteBuffer window = scan.window();
            boolean dead = scan.run.tier() == RunFormat.Tier.DEAD;
            writer(RunFormat.Tier.of(scan.attemptAtMs(), dead, nowMs))
                    .add(
                            scan.attemptAtMs(),
                            scan.seq(),
                            scan.hash(),
                            scan.lane(),
                            window,
                            at,
                            scan.length(),
                            scan.run.number(),
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
            writer = new RunWriter(directory, storeId, RunFormat.fileNumber(epoch, numbers.getAsInt()), tier);
            open.put(tier, writer);
        }
        return writer;
    }

    /** Completes and syncs the files, and their names. */
    List<RunWriter.Written> finish() throws IOException {
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
    void discard() throws IOException {
        for (RunWriter.Written run : written) {
            DataDirectory.discard(directory.run(run.fileNumber()));
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
