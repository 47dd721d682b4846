package io.tickwheel.store.file.log;

import io.tickwheel.store.file.record.EndRecord;
import io.tickwheel.store.file.record.OutcomeRecord;
import io.tickwheel.store.file.record.TimerRecord;

/** What takes the records of every change, in the order of the changes. */
public interface RecordLog {

    /**
     * Appends a record.
     *
     * @return the LSN up to which the log must be accepted for the record to be
     */
    long append(TimerRecord record);

    /** Appends the end of a timer, as the other one does a record. */
    long append(EndRecord end);

    /** Appends what became of a last attempt, as the other one does a record. */
    long append(OutcomeRecord outcome);
}
