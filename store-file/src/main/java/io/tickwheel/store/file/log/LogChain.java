package io.tickwheel.store.file.log;

import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.Manifest;
import io.tickwheel.store.file.disk.SegmentName;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the segments that make up the log: from the newest one of the owner who wrote the manifest, each names the one before it,
 * back to the checkpoint. In format 2, where they do not, it is the next lower one.
 *
 * <p>Where a link is broken, the damage is told, here or when the segment is read, and the search goes on with the best guess: for
 * those who want what can still be read.
 */
public final class LogChain {

    private final DataDirectory directory;
    private final Manifest manifest;
    private final SegmentReader reader;
    private final LogReader.Damages damages;
    private final List<SegmentName> all;

    private LogChain(DataDirectory directory, Manifest manifest, SegmentReader reader, LogReader.Damages damages)
            throws IOException {
        this.directory = directory;
        this.manifest = manifest;
        this.reader = reader;
        this.damages = damages;
        this.all = directory.segments();
    }

    /** The segments from the checkpoint on, in their order; none when the store has no log yet, or it is missing. */
    static List<SegmentName> find(
            DataDirectory directory, Manifest manifest, SegmentReader reader, LogReader.Damages damages)
            throws IOException {
        return new LogChain(directory, manifest, reader, damages).find();
    }

    /** As far as links lead back from a segment. */
    public static SegmentName first(DataDirectory directory, long storeId, SegmentName segment, SegmentReader reader)
            throws IOException {
        LogChain chain = new LogChain(directory, Manifest.first(storeId), reader, damage -> {});
        SegmentName first = segment;
        for (SegmentName before = segment; before != null; before = chain.before(first)) {
            first = before;
        }
        return first;
    }

    private List<SegmentName> find() throws IOException {
        ArrayDeque<SegmentName> chain = new ArrayDeque<>();
        long checkpoint = manifest.checkpointLsn();
        SegmentName at = newest();
        while (at != null) {
            chain.addFirst(at);
            at = at.baseLsn() > checkpoint ? before(at) : null;
        }
        SegmentName first = chain.peekFirst();
        if (first != null && first.baseLsn() > checkpoint) {
            long base = first.baseLsn();
            lost(first, checkpoint, base, "the log begins at " + base + ", must begin at or before " + checkpoint);
        }
        return List.copyOf(chain);
    }

    private @Nullable SegmentName newest() {
        int epoch = manifest.nameEpoch();
        SegmentName newest = last(each -> each.epoch() == epoch);
        if (newest == null && manifest.epoch() > 0) {
            long checkpoint = manifest.checkpointLsn();
            SegmentName name = new SegmentName(checkpoint, epoch);
            long synced = Math.max(checkpoint, manifest.syncedLsn());
            lost(name, checkpoint, synced, "the log is missing from " + checkpoint + " on");
            newest = last(each -> each.epoch() < epoch);
        }
        return newest;
    }

    private @Nullable SegmentName before(SegmentName segment) throws IOException {
        if (segment.epoch() == 0) {
            return last(each -> each.epoch() == 0 && each.baseLsn() < segment.baseLsn());
        }
        reader.open(directory, segment);
        LogSegment.Header header = LogSegment.header(reader, manifest.storeId(), segment);
        if (header != null) {
            SegmentName before = header.before();
            if (before == null || all.contains(before)) {
                return before;
            }
            lost(before, before.baseLsn(), segment.baseLsn(), "the segment is missing");
        }
        return last(each -> each.epoch() <= segment.epoch() && each.baseLsn() < segment.baseLsn());
    }

    private interface Condition {
        boolean holds(SegmentName segment);
    }

    private @Nullable SegmentName last(Condition condition) {
        for (int i = all.size() - 1; i >= 0; i--) {
            if (condition.holds(all.get(i))) {
                return all.get(i);
            }
        }
        return null;
    }

    private void lost(SegmentName segment, long fromLsn, long toLsn, String what) {
        damages.found(new LogReader.Damage(directory.segment(segment), 0, fromLsn, toLsn, what));
    }
}
