package io.tickwheel.store.file.tools;

import io.tickwheel.store.file.memory.KeyIndex;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.run.RunScan;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.table.Shelf;
import io.tickwheel.store.file.timers.Shelves;
import java.util.List;

/**
 * Ends all but the last timer of each key: where something of the log is lost, what ended the others may be lost too, and where
 * it was read from further back, a timer can stand in the log and in a run.
 */
final class LastOfEachKey {

    private final Shelves shelves;
    private final KeyIndex last = new KeyIndex();

    private LastOfEachKey(Shelves shelves) {
        this.shelves = shelves;
    }

    static void keep(Shelves shelves) {
        new LastOfEachKey(shelves).keep();
    }

    private void keep() {
        Memtable memtable = shelves.active();
        for (int ordinal = 0; ordinal < memtable.size(); ordinal++) {
            TimerRecord record = memtable.record(ordinal, false);
            add(memtable, ordinal, memtable.hash(ordinal), record);
        }
        for (Run run : List.copyOf(shelves.runs())) {
            RunScan scan = new RunScan(run.file(), run.ended());
            while (scan.next()) {
                int at = scan.readRecord();
                add(run, scan.ordinal(), scan.hash(), TimerRecord.read(scan.window(), at, scan.length(), false));
            }
        }
        last.clear();
    }

    /** Also for one that has ended: it says that those before it have. */
    private void add(Shelf shelf, int ordinal, long hash, TimerRecord record) {
        for (boolean found = last.find(hash); found; found = last.findNext()) {
            Shelf other = shelves.shelf(last.place());
            int otherOrdinal = last.ordinal();
            if (other.isOf(otherOrdinal, record.queue(), record.key())) {
                if (other.seq(otherOrdinal) >= record.seq()) {
                    shelf.end(ordinal);
                } else {
                    other.end(otherOrdinal);
                    last.move(hash, other.number(), otherOrdinal, shelf.number(), ordinal);
                }
                return;
            }
        }
        last.add(hash, shelf.number(), ordinal);
    }
}
