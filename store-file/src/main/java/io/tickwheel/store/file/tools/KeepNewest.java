package io.tickwheel.store.file.tools;

import io.tickwheel.store.file.memory.KeyIndex;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.run.RunScan;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.table.TimerTable;
import io.tickwheel.store.file.timers.TimerTables;
import java.util.List;

/**
 * Ends all but the last timer of each key: where something of the log is lost, what ended the others may be lost too, and where
 * it was read from further back, a timer can stand in the log and in a run.
 */
final class KeepNewest {

    private final TimerTables tables;
    private final KeyIndex last = new KeyIndex();

    private KeepNewest(TimerTables tables) {
        this.tables = tables;
    }

    static void keep(TimerTables tables) {
        new KeepNewest(tables).keep();
    }

    private void keep() {
        Memtable memtable = tables.active();
        for (int ordinal = 0; ordinal < memtable.size(); ordinal++) {
            TimerRecord record = memtable.record(ordinal, false);
            add(memtable, ordinal, memtable.hash(ordinal), record);
        }
        for (Run run : List.copyOf(tables.runs())) {
            RunScan scan = new RunScan(run.file(), run.ended());
            while (scan.next()) {
                int at = scan.readRecord();
                add(run, scan.ordinal(), scan.hash(), TimerRecord.read(scan.window(), at, scan.length(), false));
            }
        }
        last.clear();
    }

    /** Also for one that has ended: it says that those before it have. */
    private void add(TimerTable table, int ordinal, long hash, TimerRecord record) {
        for (boolean found = last.find(hash); found; found = last.findNext()) {
            TimerTable other = tables.table(last.place());
            int otherOrdinal = last.ordinal();
            if (other.isOf(otherOrdinal, record.queue(), record.key())) {
                if (other.seq(otherOrdinal) >= record.seq()) {
                    table.end(ordinal);
                } else {
                    other.end(otherOrdinal);
                    last.move(hash, other.number(), otherOrdinal, table.number(), ordinal);
                }
                return;
            }
        }
        last.add(hash, table.number(), ordinal);
    }
}
