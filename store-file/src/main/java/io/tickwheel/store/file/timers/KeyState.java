package io.tickwheel.store.file.timers;

import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.record.FinishedRecord;
import io.tickwheel.store.file.record.History;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.table.TimerTable;
import org.jspecify.annotations.Nullable;

/**
 * How the timer of a key stands: {@link Standing} in a table, live or dead, or {@link Finished} and remembered. It tells about the
 * moment in which it was asked for. Owned by the loop.
 */
public sealed interface KeyState {

    TimerState state();

    long id();

    long version();

    long dueAtMs();

    long attemptAtMs();

    /** How many attempts were started, one that runs included. */
    int attempts();

    long requestHash();

    /** The attempts that are remembered. */
    History history();

    /** Whether it is still to be delivered: pending or claimed. */
    default boolean isLive() {
        return !state().isFinished();
    }

    /**
     * A timer in a table.
     *
     * @param record without its content
     * @param loaded when it is loaded or claimed
     */
    record Standing(
            TimerTable table,
            int ordinal,
            TimerRecord record,
            @Nullable LoadedTimer loaded) implements KeyState {

        @Override
        public TimerState state() {
            if (record.dead()) {
                return TimerState.DEAD;
            }
            return isClaimed() ? TimerState.CLAIMED : TimerState.PENDING;
        }

        private boolean isClaimed() {
            return loaded != null && loaded.claimed();
        }

        @Override
        public long id() {
            return record.id();
        }

        @Override
        public long version() {
            return record.version();
        }

        @Override
        public long dueAtMs() {
            return record.dueAtMs();
        }

        @Override
        public long attemptAtMs() {
            return record.attemptAtMs();
        }

        @Override
        public int attempts() {
            return loaded != null && loaded.claimed() ? loaded.attempts() : record.attempts();
        }

        @Override
        public long requestHash() {
            return record.requestHash();
        }

        @Override
        public History history() {
            return record.history();
        }
    }

    /** A timer that is in no table any more, and remembered. */
    sealed interface Remembered extends KeyState {

        FinishedRecord record();

        @Override
        default long id() {
            return record().id();
        }

        @Override
        default long version() {
            return record().version();
        }

        @Override
        default long dueAtMs() {
            return record().dueAtMs();
        }

        @Override
        default long attemptAtMs() {
            return record().attemptAtMs();
        }

        @Override
        default int attempts() {
            return record().attempts();
        }

        @Override
        default long requestHash() {
            return record().requestHash();
        }

        @Override
        default History history() {
            return record().history();
        }
    }

    /**
     * A timer that was cancelled while an attempt ran, which has not ended.
     *
     * @param record as it is remembered
     */
    record Ending(FinishedRecord record) implements Remembered {

        @Override
        public TimerState state() {
            return TimerState.CLAIMED;
        }

        @Override
        public boolean isLive() {
            return false;
        }
    }

    /** A timer that was completed, cancelled or expired. */
    record Finished(FinishedRecord record) implements Remembered {

        @Override
        public TimerState state() {
            return record.state();
        }
    }
}
