package io.tickwheel.store.redis;

import io.tickwheel.store.TimerState;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.TimerRecord;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What stands under a key in a simulation.
 *
 * @param seq since when, in the order of all that happened
 * @param by whose call made it so; null when a failover did
 * @param id of the timer; empty when none is known under the key
 * @param record null when none is known
 */
record SimulatedTimer(
        int seq,
        @Nullable SimulatedLink by,
        String id,
        @Nullable TimerRecord record) {

    static SimulatedTimer none(int seq, @Nullable SimulatedLink by) {
        return new SimulatedTimer(seq, by, "", null);
    }

    static SimulatedTimer read(int seq, @Nullable SimulatedLink by, int partition, byte[] bytes) {
        TimerRecord record = TimerRecord.read(ByteBuffer.wrap(bytes));
        return new SimulatedTimer(seq, by, Long.toHexString(Layout.number(record.seq(), partition)), record);
    }

    boolean is(TimerState state) {
        return record != null && record.state() == state;
    }

    boolean isLive() {
        return record != null && record.isLive();
    }

    /** Whether its last attempt runs, as it was cancelled meanwhile. */
    boolean isEnding() {
        return record != null && record.ending();
    }

    /** By which the ledger knows the command that made it; empty when it is not kept any more. */
    String token() {
        return record == null ? "" : new String(record.content(), StandardCharsets.UTF_8);
    }

    /** Whether it stands as another one does, since whenever. */
    boolean isAs(SimulatedTimer other) {
        if (record == null || other.record == null) {
            return record == null && other.record == null;
        }
        return id.equals(other.id)
                && record.state() == other.record.state()
                && record.ending() == other.record.ending()
                && record.attempts() == other.record.attempts()
                && record.attemptAtMs() == other.record.attemptAtMs()
                && record.dueAtMs() == other.record.dueAtMs()
                && record.history().equals(other.record.history())
                && record.token() == other.record.token();
    }

    @Override
    public String toString() {
        return record == null
                ? "nothing"
                : id + " v" + record.version() + " " + record.state() + (record.ending() ? " ending" : "") + " due "
                        + record.attemptAtMs() % 1_000_000 + " attempts " + record.attempts() + " " + token();
    }
}
