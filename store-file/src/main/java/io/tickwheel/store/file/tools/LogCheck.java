package io.tickwheel.store.file.tools;

import io.tickwheel.store.file.StoreDamage;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.Manifest;
import io.tickwheel.store.file.log.LogReader;
import io.tickwheel.store.file.log.SegmentReader;
import io.tickwheel.store.file.record.EndRecord;
import io.tickwheel.store.file.record.OutcomeRecord;
import io.tickwheel.store.file.record.TimerRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Reads all of the log that counts, and gathers what is damaged. The records of timers are numbered without gaps: so between
 * two that can be read it is known how many are lost.
 */
final class LogCheck implements LogReader.Sink {

    private final DataDirectory directory;
    private final Manifest manifest;
    private final LogReader.Sink next;
    private final Work work;
    private final List<LogReader.Damage> found = new ArrayList<>();
    private final List<OptionalLong> lost = new ArrayList<>();

    /** From where on in {@code found} the number of lost records is not known yet. */
    private int open;

    private long lastSeq;
    private int segments;
    private long records;

    LogCheck(DataDirectory directory, Manifest manifest, Work work) {
        this(directory, manifest, new Nowhere(), work);
    }

    /** @param next takes what can be read */
    LogCheck(DataDirectory directory, Manifest manifest, LogReader.Sink next, Work work) {
        this.directory = directory;
        this.manifest = manifest;
        this.next = next;
        this.work = work;
    }

    private static final class Nowhere implements LogReader.Sink {
        @Override
        public void accept(TimerRecord record, ByteBuffer bytes, int offset, int length) {}

        @Override
        public void accept(EndRecord end) {}

        @Override
        public void accept(OutcomeRecord outcome) {}
    }

    /** How many bytes the files of the log have. */
    static long bytes(DataDirectory directory) throws IOException {
        return Work.bytes(directory.segments().stream().map(directory::segment).toList());
    }

    void check() throws IOException {
        work.begin(bytes(directory));
        try (SegmentReader segment = new SegmentReader()) {
            LogReader.Tail tail = new LogReader(directory, manifest, segment, this, this::found).read();
            segments = tail == null ? 0 : tail.chain().size();
        }
        work.end();
    }

    private void found(LogReader.Damage damage) {
        found.add(damage);
        lost.add(OptionalLong.empty());
    }

    @Override
    public void accept(TimerRecord record, ByteBuffer bytes, int offset, int length) {
        next.accept(record, bytes, offset, length);
        records++;
        work.add(length);
        // Of several in a row it is known only what they take together.
        if (open == found.size() - 1 && lastSeq != 0) {
            lost.set(open, OptionalLong.of(record.seq() - lastSeq - 1));
        }
        open = found.size();
        lastSeq = record.seq();
    }

    @Override
    public void accept(EndRecord end) {
        next.accept(end);
        records++;
    }

    @Override
    public void accept(OutcomeRecord outcome) {
        next.accept(outcome);
        records++;
    }

    /** How many segments were read: what else is there is no part of the log. */
    int segments() {
        return segments;
    }

    long records() {
        return records;
    }

    List<LogReader.Damage> found() {
        return found;
    }

    List<StoreDamage> damages() {
        List<StoreDamage> damages = new ArrayList<>();
        for (int i = 0; i < found.size(); i++) {
            LogReader.Damage one = found.get(i);
            String what = one.what() + "; lost is what the log said from LSN " + one.fromLsn() + " to " + one.toLsn();
            StoreDamage damage = Damages.of(directory.name(one.file()), one.offset(), what);
            OptionalLong timers = lost.get(i);
            damages.add(timers.isPresent() ? Damages.withTimers(damage, timers.getAsLong()) : damage);
        }
        return damages;
    }
}
