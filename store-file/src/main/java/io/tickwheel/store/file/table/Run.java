package io.tickwheel.store.file.table;

import io.tickwheel.store.Lane;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.run.RunEntry;
import io.tickwheel.store.file.run.RunFile;
import io.tickwheel.store.file.run.RunFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An open run of the schedule log: the file, which never changes, and for each timer whether it is taken and whether it has
 * ended, which changes in memory and is written down at checkpoints. Owned by the loop; a background task may read the file
 * through {@link RunFile#readBlock} and {@link RunFile#readBytes} with buffers of its own.
 *
 * <p>In memory: 2 bits a timer, and two buffers. Reading an entry costs a read of 4 KiB, or nothing when it stands in the same
 * block as the one before; reading a record costs one read, or nothing when it follows on the one before.
 */
public final class Run implements TimerTable, AutoCloseable {

    private static final int WINDOW_BYTES = 32 << 10;
    private static final ByteBuffer NO_WINDOW = ByteBuffer.allocate(0);

    private final RunFile file;
    private final QueueTable queues;

    /** The lanes by their position in the names, as far as they were asked for. */
    private final @Nullable StoreLane[] lanes;

    private final BitSet ended;
    private final BitSet taken;
    private int present;

    /** Entries that stand here: those from this on are still elsewhere, and are moved here by a checkpoint. */
    private int arrived;

    private final RunEntry entry;

    /** For those who go along lanes, all at about the same time: what one reads the next one needs. */
    private final RunEntry laneEntry;

    /** By lane, where it stands in the names; made when it is first asked for. */
    private @Nullable Map<Lane, Integer> positions;

    private long windowStart = -1;
    private ByteBuffer window = NO_WINDOW;

    /** Has all timers of a file stand here, until it is told otherwise; closes the file when it is closed. */
    public Run(RunFile file, QueueTable queues) {
        this.file = file;
        this.queues = queues;
        this.entry = new RunEntry(file);
        this.laneEntry = new RunEntry(file);
        this.lanes = new StoreLane[file.names().size()];
        this.ended = new BitSet(file.count());
        this.taken = new BitSet(file.count());
        this.present = file.count();
        this.arrived = file.count();
    }

    @Override
    public int number() {
        return file.number();
    }

    /** The number in the name of the file. */
    public long fileNumber() {
        return file.fileNumber();
    }

    public RunFormat.Entries entries() {
        return file.entries();
    }

    public RunFormat.Tier tier() {
        return file.tier();
    }

    /** Whether its timers are dead, and never loaded. */
    public boolean isDead() {
        return file.isDead();
    }

    /** Timers, of which some have ended. */
    public int count() {
        return file.count();
    }

    /** Timers that have not ended. */
    public int present() {
        return present;
    }

    public long bytes() {
        return file.bytes();
    }

    public long firstDueMs() {
        return file.firstDueMs();
    }

    public long lastDueMs() {
        return file.lastDueMs();
    }

    public RunFile file() {
        return file;
    }

    /** Which have ended; to be copied by who needs it later. */
    public BitSet ended() {
        return ended;
    }

    /** Which were taken; not to be changed. */
    public BitSet taken() {
        return taken;
    }

    /** Says that only the entries before {@code ordinal} stand here by now. */
    public void setArrived(int ordinal) {
        arrived = ordinal;
    }

    /** How many entries stand here: all, unless a checkpoint is moving them. */
    public int arrived() {
        return arrived;
    }

    /** Sets what was known to have ended at a checkpoint. */
    public void restoreEnded(BitSet known) {
        ended.or(known);
        present = file.count() - ended.cardinality();
    }

    /** The first entry from {@code ordinal} on that is waiting, or {@link #count}. */
    public int nextWaiting(int ordinal) {
        int next = ordinal;
        while (true) {
            int notEnded = ended.nextClearBit(next);
            next = taken.nextClearBit(notEnded);
            if (next == notEnded || next >= file.count()) {
                return Math.min(next, file.count());
            }
        }
    }

    /** The first entry with an attempt at that time or later, or {@link #count}; reads O(log n) blocks. */
    public int lowerBound(long fromMs) {
        if (fromMs <= file.firstDueMs()) {
            return 0;
        }
        int low = 0;
        int high = file.count();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (attemptAtMs(middle) < fromMs) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    @Override
    public long seq(int ordinal) {
        return entry.moveTo(ordinal).seq();
    }

    @Override
    public long hash(int ordinal) {
        return entry.moveTo(ordinal).hash();
    }

    @Override
    public long attemptAtMs(int ordinal) {
        return entry.moveTo(ordinal).attemptAtMs();
    }

    @Override
    public StoreLane lane(int ordinal) {
        return laneAt(lanePosition(ordinal));
    }

    /** Where the lane of an entry stands in {@link #names}. */
    public int lanePosition(int ordinal) {
        return entry.moveTo(ordinal).lanePosition();
    }

    /** The lanes that had timers here. */
    public List<RunFormat.LaneName> names() {
        return file.names();
    }

    public RunEntry laneEntry() {
        return laneEntry;
    }

    /** Where a lane stands in {@link #names}; -1 when it has no timers here. */
    public int positionOf(Lane lane) {
        Map<Lane, Integer> known = positions;
        if (known == null) {
            known = new HashMap<>();
            for (int i = 0; i < file.names().size(); i++) {
                known.put(file.names().get(i).lane(), i);
            }
            positions = known;
        }
        return known.getOrDefault(lane, -1);
    }

    public StoreLane laneAt(int position) {
        Lane name = file.laneName(position);
        StoreLane known = lanes[position];
        if (known == null || known.isForgotten()) {
            known = queues.get(name);
            lanes[position] = known;
        }
        return known;
    }

    @Override
    public TimerRecord record(int ordinal, boolean withContent) {
        entry.moveTo(ordinal);
        int at = readRecord(ordinal, entry.length());
        TimerRecord record;
        try {
            record = TimerRecord.read(window, at, entry.length(), withContent);
        } catch (IllegalArgumentException e) {
            throw file.corrupt(entry.recordOffset(), "the record of entry " + ordinal + " is none: " + e.getMessage());
        }
        if (record.seq() != entry.seq()) {
            throw file.corrupt(entry.recordOffset(), "the record of entry " + ordinal + " is another one");
        }
        if (window.capacity() > WINDOW_BYTES) {
            // There may be a large one in each run.
            window = NO_WINDOW;
            windowStart = -1;
        }
        return record;
    }

    @Override
    public boolean isOf(int ordinal, byte[] queue, byte[] key) {
        int at = readRecord(ordinal, entry.moveTo(ordinal).length());
        return TimerRecord.isOf(window, at, queue, key);
    }

    /** Brings the record of the entry in view into the window; returns where it begins there. */
    private int readRecord(int ordinal, int length) {
        long offset = entry.recordOffset();
        file.checkWithin(ordinal, offset, length);
        long windowEnd = windowStart + window.limit();
        if (windowStart < 0 || offset < windowStart || offset + length > windowEnd) {
            boolean follows = windowStart >= 0 && offset >= windowStart && offset <= windowEnd + WINDOW_BYTES;
            fillWindow(offset, follows ? Math.max(length, WINDOW_BYTES) : length);
        }
        int at = (int) (offset - windowStart);
        if (at + length > window.limit() || RunFormat.crc(window, at, length) != entry.recordCrc()) {
            throw file.corrupt(offset, "the record of entry " + ordinal + " is damaged");
        }
        return at;
    }

    private void fillWindow(long offset, int length) {
        windowStart = -1;
        if (window.capacity() < length || window.capacity() > WINDOW_BYTES) {
            window = ByteBuffer.allocate(length > WINDOW_BYTES / 8 ? Math.max(length, WINDOW_BYTES) : WINDOW_BYTES / 8)
                    .order(ByteOrder.LITTLE_ENDIAN);
        }
        window.clear().limit(length);
        file.readBytes(offset, window);
        window.flip();
        windowStart = offset;
    }

    @Override
    public boolean isWaiting(int ordinal) {
        return !taken.get(ordinal) && !ended.get(ordinal);
    }

    @Override
    public boolean isEnded(int ordinal) {
        return ended.get(ordinal);
    }

    @Override
    public void take(int ordinal) {
        taken.set(ordinal);
    }

    @Override
    public void untake(int ordinal) {
        taken.clear(ordinal);
    }

    @Override
    public void end(int ordinal) {
        if (!ended.get(ordinal)) {
            ended.set(ordinal);
            present--;
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
