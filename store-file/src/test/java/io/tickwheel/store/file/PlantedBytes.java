package io.tickwheel.store.file;

import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.file.log.Frame;
import io.tickwheel.store.file.log.LogSegment;
import io.tickwheel.store.file.record.EndRecord;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.run.RunFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Changes what is written or read as a store would that means something else by it; checksums are right again. */
final class PlantedBytes {

    private final PlantedDisk.Bug bug;
    private final boolean isManifest;
    private final boolean isProgress;
    private final boolean isSegment;
    private final CRC32C progressCrc = new CRC32C();
    private boolean begun;

    PlantedBytes(PlantedDisk.Bug bug, String name) {
        this.bug = bug;
        this.isManifest = name.contains("MANIFEST");
        this.isProgress = name.contains(DataDirectory.PROGRESS_SUFFIX);
        this.isSegment = name.endsWith(SegmentName.SUFFIX);
    }

    boolean changesWrites() {
        return (bug == PlantedDisk.Bug.CHECKPOINT_AHEAD && isManifest)
                || (bug == PlantedDisk.Bug.ENDS_LOST_AT_CHECKPOINT && isProgress);
    }

    boolean changesReads() {
        return isSegment
                && (bug == PlantedDisk.Bug.END_IGNORED_AT_RECOVERY || bug == PlantedDisk.Bug.REPLACED_NOT_ENDED);
    }

    /** What is written instead. */
    ByteBuffer written(ByteBuffer source) {
        ByteBuffer copy = ByteBuffer.allocate(source.remaining()).order(ByteOrder.LITTLE_ENDIAN);
        copy.put(source).flip();
        if (isManifest) {
            if (copy.getLong(64) != 0) {
                copy.putLong(32, copy.getLong(40));
            }
            copy.putInt(80, RunFormat.crc(copy, 0, 80));
        } else if (begun) {
            // The checksum of the one piece before.
            copy.putInt(0, (int) progressCrc.getValue());
        } else {
            begun = true;
            forgetEnds(copy);
            progressCrc.update(copy.duplicate());
        }
        return copy;
    }

    private static void forgetEnds(ByteBuffer progress) {
        int at = 40;
        for (int left = progress.getInt(32); left > 0; left--) {
            int words = progress.getInt(at + 12);
            at += 16;
            for (int i = 0; i < words; i++, at += Long.BYTES) {
                progress.putLong(at, 0);
            }
        }
    }

    /** Changes a segment that was read as a whole. */
    void changeRead(ByteBuffer target) {
        ByteBuffer file = target.duplicate().order(ByteOrder.LITTLE_ENDIAN).flip();
        if (file.limit() < LogSegment.HEADER_BYTES) {
            return;
        }
        long identity = StoreImage.identity(file);
        int at = LogSegment.HEADER_BYTES;
        for (Frame.Header frame = Frame.read(file, at, identity);
                frame != null;
                frame = Frame.read(file, at, identity)) {
            ByteBuffer changed = change(file, at, frame, identity);
            file.duplicate().position(at).put(changed);
            at += frame.bytes();
        }
    }

    private ByteBuffer change(ByteBuffer file, int at, Frame.Header frame, long identity) {
        ByteBuffer changed = ByteBuffer.allocate(frame.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        changed.position(Frame.HEADER_BYTES);
        ByteBuffer in = file.duplicate().order(ByteOrder.LITTLE_ENDIAN).position(at + Frame.HEADER_BYTES);
        int count = 0;
        for (int left = frame.count(); left > 0; left--) {
            int length = in.getInt();
            int record = in.position();
            in.position(record + length);
            byte type = file.get(record);
            if (type != TimerRecord.TYPE) {
                if (type != EndRecord.TYPE || bug != PlantedDisk.Bug.END_IGNORED_AT_RECOVERY) {
                    changed.putInt(length)
                            .put(in.duplicate().limit(record + length).position(record));
                    count++;
                }
                continue;
            }
            TimerRecord timer = TimerRecord.read(file, record, length, true);
            if (bug == PlantedDisk.Bug.REPLACED_NOT_ENDED) {
                timer = new TimerRecord(
                        timer.seq(),
                        timer.attemptAtMs(),
                        timer.dueAtMs(),
                        0,
                        timer.id(),
                        timer.version(),
                        timer.attempts(),
                        timer.requestHash(),
                        timer.dead(),
                        timer.route(),
                        timer.queue(),
                        timer.key(),
                        timer.history(),
                        timer.otherFields(),
                        timer.content());
            }
            timer.write(changed.putInt(timer.length()));
            count++;
        }
        // The frame keeps its length, or the next one would not follow on it.
        changed.position(changed.capacity());
        return Frame.seal(changed, frame.epoch(), frame.lsn(), frame.durableLsn(), count, identity);
    }
}
