package io.tickwheel.store.file.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Lane;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.file.table.StoreLane;
import io.tickwheel.store.file.timers.TimerTables;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class IntakeTest {

    private static final int FULL = 256;

    private final TimerTables tables = TimerTables.toLookAt(1, 1, 0);
    private final StoreLane lane = tables.queues.get(new Lane("q", Lane.QUEUE_ROUTE));
    private final Intake intake = new Intake(tables, 8 * FULL, 1);

    /** Has a timer stand in the memtable, and taken in; returns its ordinal. */
    private int take(long hash) {
        int number = tables.active().size();
        TimerKey key = new TimerKey("q", "k" + number);
        TimerRecord record = TimerRecord.scheduled(
                1 + number,
                0,
                1,
                new ScheduleCommand(key, 0, new byte[0], OnConflict.REPLACE, 0),
                lane.queue.utf8,
                key.key().getBytes(StandardCharsets.UTF_8));
        int ordinal = tables.active().add(record, hash, lane);
        intake.add(hash, tables.active().number(), ordinal, lane.queue, false);
        return ordinal;
    }

    private boolean isIn(long hash, int ordinal) {
        return tables.index.contains(hash, tables.active().number(), ordinal);
    }

    /** Also those of the first and of the last segment. */
    @Test
    void timersAreCountedAtOnceAndPutWhereTheyBelongLater() {
        long[] hashes = {0, 1, 1L << 53, -1};
        for (long hash : hashes) {
            take(hash);
        }
        assertThat(lane.queue.live()).isEqualTo(4);
        assertThat(tables.index.size()).isZero();
        assertThat(intake.isPuttingAway()).isFalse();
        intake.putAway();
        int done = 0;
        while (intake.isPuttingAway()) {
            done += intake.work(1);
        }
        assertThat(done).isEqualTo(4);
        assertThat(intake.isEmpty()).isTrue();
        for (int ordinal = 0; ordinal < hashes.length; ordinal++) {
            assertThat(isIn(hashes[ordinal], ordinal)).isTrue();
        }
        assertThat(lane.queue.live()).isEqualTo(4);
    }

    @Test
    void whatEndsMeanwhileOrIsThereIsNotCountedTwice() {
        int ended = take(7);
        int ahead = take(8);
        take(9);
        tables.active().end(ended);
        tables.enter(8, tables.active(), ahead, lane.queue, false);
        assertThat(lane.queue.live()).isEqualTo(4);
        intake.putAway();
        intake.work(FULL);
        assertThat(isIn(7, ended)).isFalse();
        assertThat(tables.index.size()).isEqualTo(2);
        assertThat(lane.queue.live()).isEqualTo(2);
    }

    @Test
    void whatIsFullIsPutAway() {
        for (int i = 1; i < FULL; i++) {
            take(i);
        }
        assertThat(intake.isPuttingAway()).isFalse();
        take(FULL);
        assertThat(intake.isPuttingAway()).isTrue();
        assertThat(intake.work(1)).isEqualTo(FULL);
        assertThat(intake.isPuttingAway()).isFalse();
        assertThat(tables.index.size()).isEqualTo(FULL);
    }
}
