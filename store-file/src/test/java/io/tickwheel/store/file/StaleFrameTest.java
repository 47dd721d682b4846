package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Answer;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.file.log.Frame;
import io.tickwheel.store.file.log.FrameBuffer;
import io.tickwheel.store.file.log.LogSegment;
import io.tickwheel.store.file.record.TimerRecord;
import io.tickwheel.store.testkit.CrashKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Behind the end of the log may be sound frames that a file has from an earlier use: they are no part of the log. */
class StaleFrameTest {

    private static final TimerKey GHOST = new TimerKey("q", "ghost");

    private final SimulatedStore store = new SimulatedStore(1);
    private final Workload workload = new Workload(store);

    /** The last segment of a store of several lives that was killed. */
    private final Path segment;

    private final long storeId;
    private final long baseLsn;
    private final int epoch;
    private final int end;

    StaleFrameTest() throws IOException {
        for (int life = 0; life < 3; life++) {
            workload.openAndCheck();
            workload.schedule(life, 1_000, 100, OnConflict.REPLACE);
            store.settle();
            store.crash(CrashKind.PROCESS_KILL);
        }
        segment = lastSegment();
        byte[] bytes = store.disk.visibleBytes(segment);
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        storeId = in.getLong(16);
        baseLsn = in.getLong(24);
        epoch = in.getInt(32);
        assertThat(in.getInt(LogSegment.HEADER_BYTES + 4)).isEqualTo(epoch);
        end = StoreImage.logEnd(bytes);
    }

    private Path lastSegment() throws IOException {
        try (Stream<Path> files = Files.list(store.directory().resolve("commitlog"))) {
            return files.filter(file -> file.toString().endsWith(SegmentName.SUFFIX))
                    .max(Comparator.comparing(Path::toString))
                    .orElseThrow();
        }
    }

    private long endLsn() {
        return baseLsn + end - LogSegment.HEADER_BYTES;
    }

    /** A frame behind the end that schedules the ghost. */
    private void plant(int ghostEpoch, long lsn, long ghostBaseLsn) {
        FrameBuffer frame = new FrameBuffer();
        TimerRecord ghost = TimerRecord.scheduled(
                99,
                0,
                1,
                new ScheduleCommand(GHOST, 5_000, new byte[3], OnConflict.REPLACE, 0),
                GHOST.queue().getBytes(StandardCharsets.UTF_8),
                GHOST.key().getBytes(StandardCharsets.UTF_8));
        ghost.write(frame.record(ghost.length()));
        ByteBuffer sealed = frame.seal(
                ghostEpoch, lsn, baseLsn, LogSegment.identity(storeId, new SegmentName(ghostBaseLsn, epoch)));
        byte[] bytes = store.disk.visibleBytes(segment);
        byte[] planted = Arrays.copyOf(bytes, Math.max(bytes.length, end + sealed.limit()));
        sealed.get(planted, end, sealed.limit());
        store.disk.damage(segment, planted);
    }

    private boolean isGhostThere() {
        workload.open();
        List<List<TimerView>> found = new ArrayList<>();
        store.calendar().find(GHOST, new Answer<>() {
            @Override
            public void accept(List<TimerView> result) {
                found.add(result);
            }

            @Override
            public void fail(StoreException failure) {
                throw failure;
            }
        });
        store.settle();
        return !found.get(0).isEmpty();
    }

    @Test
    void frameThatContinuesTheLogIsPartOfIt() {
        plant(epoch, endLsn(), baseLsn);
        assertThat(isGhostThere()).isTrue();
    }

    @Test
    void frameOfAnotherSegmentIsNotEvenWithTheRightLsn() {
        plant(epoch, endLsn(), baseLsn - Frame.ALIGNMENT);
        assertThat(isGhostThere()).isFalse();
    }

    @Test
    void frameOfAnEarlierEpochIsNotEvenWithTheRightLsn() {
        plant(epoch - 1, endLsn(), baseLsn);
        assertThat(isGhostThere()).isFalse();
    }

    @Test
    void frameWithAnotherLsnIsNot() {
        plant(epoch, endLsn() + Frame.ALIGNMENT, baseLsn);
        assertThat(isGhostThere()).isFalse();
    }

    @Test
    void whatBeginsTheNextSegmentHidesWhatWasTornOff() {
        // The torn frames of the life before have the LSNs that the next life gives out.
        plant(epoch, endLsn() + Frame.ALIGNMENT, baseLsn);
        workload.openAndCheck();
        workload.schedule(5, 1_000, 10, OnConflict.REPLACE);
        store.settle();
        store.crash(CrashKind.PROCESS_KILL);
        assertThat(isGhostThere()).isFalse();
    }
}
