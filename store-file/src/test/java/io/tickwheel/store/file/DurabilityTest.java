package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Durability;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.log.Frame;
import io.tickwheel.store.file.log.LogSegment;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.DiskFault;
import io.tickwheel.store.testkit.RoomyListener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** When an answer is given, and when the log is synced. */
final class DurabilityTest extends SteppedStore {

    private int stores;

    @Test
    void syncedStoreAnswersAfterTheSync() {
        Calendar calendar = open(store);
        assertThat(calendar.durability()).isEqualTo(Durability.SYNC);
        schedule(calendar, 10);
        calendar.work(100);
        assertThat(answers).isEmpty();
        assertThat(turn(calendar)).isEqualTo(1);
        calendar.work(100);
        assertThat(answers).hasSize(1);
    }

    @Test
    void mismatchIsToldAfterTheSyncOfWhatItTells() {
        List<PendingTimer> loaded = new ArrayList<>();
        Calendar calendar = open(store, new RoomyListener() {
            @Override
            public void loaded(PendingTimer timer) {
                loaded.add(timer);
            }
        });
        scheduleAndAnswer(calendar);
        calendar.load(5_000, 5_001, 10);
        calendar.claim(loaded.get(0), claimed -> calendar.finish(claimed.handle(), TimerState.COMPLETED));
        List<IdMismatchException> mismatches = new ArrayList<>();
        calendar.cancel(new TimerKey("q", "k0"), "another", null, new Answer<>() {
            @Override
            public void accept(Cancelled result) {
                throw new AssertionError(result);
            }

            @Override
            public void fail(StoreException failure) {
                mismatches.add((IdMismatchException) failure);
            }
        });
        calendar.work(100);
        assertThat(mismatches).as("before the sync").isEmpty();
        runLog();
        calendar.work(100);
        assertThat(mismatches).singleElement().satisfies(mismatch -> {
            assertThat(mismatch.timer()).isNotNull();
            assertThat(mismatch.timer().state()).isEqualTo(TimerState.COMPLETED);
        });
    }

    /** Nobody waits for the end itself, and none of it may be shown that a crash could take back. */
    @Test
    void endOfATimerIsShownAfterItsSync() {
        TimerKey key = new TimerKey("q", "k0");
        assertShownAfterTheSync(0, (calendar, shown) -> calendar.queues(PlainStore.answer(shown::add)));
        assertShownAfterTheSync(
                0, (calendar, shown) -> calendar.list(TimerQuery.of("q"), PlainStore.answer(shown::add)));
        assertShownAfterTheSync(0, (calendar, shown) -> calendar.read(key, PlainStore.answer(shown::add)));
        assertShownAfterTheSync(1, (calendar, shown) -> calendar.read(key, PlainStore.answer(shown::add)));
        assertShownAfterTheSync(0, (calendar, shown) -> calendar.find(key, PlainStore.answer(shown::add)));
    }

    private void assertShownAfterTheSync(int remembered, BiConsumer<Calendar, List<Object>> look) {
        answers.clear();
        FileTimerStore other = FileTimerStore.in(disk.path("/data" + ++stores))
                .withSegmentBytes(1 << 16)
                .withFinishedRemembered(remembered);
        List<PendingTimer> loaded = new ArrayList<>();
        Calendar calendar = open(other, new RoomyListener() {
            @Override
            public void loaded(PendingTimer timer) {
                loaded.add(timer);
            }
        });
        scheduleAndAnswer(calendar);
        calendar.load(5_000, 5_001, 10);
        calendar.claim(loaded.get(0), claimed -> calendar.finish(claimed.handle(), TimerState.COMPLETED));
        List<Object> shown = new ArrayList<>();
        look.accept(calendar, shown);
        calendar.work(100);
        assertThat(shown).as("before the sync").isEmpty();
        runLog();
        calendar.work(100);
        assertThat(shown).hasSize(1);
    }

    @Test
    void intervalAnswersWhenWrittenAndSyncsLaterThoughNobodyComes() {
        Calendar calendar = open(store.withSyncInterval(Duration.ofMillis(100)));
        assertThat(calendar.durability()).isEqualTo(Durability.INTERVAL);
        schedule(calendar, 10);
        calendar.work(100);
        assertThat(answers).as("before it is written").isEmpty();
        assertThat(turn(calendar)).isZero();
        assertThat(turn(calendar)).isZero();
        assertThat(answers).hasSize(1);
        nowNanos += 100 * MS - 1;
        assertThat(turn(calendar)).isZero();
        nowNanos += 1;
        assertThat(turn(calendar)).isEqualTo(1);
        nowNanos += 1_000 * MS;
        assertThat(turn(calendar) + turn(calendar) + turn(calendar))
                .as("nothing to sync")
                .isZero();
        disk.crash(CrashKind.POWER_LOSS_MINIMAL);
        assertThat(open(store).liveCount()).isEqualTo(1);
    }

    @Test
    void intervalSyncsWithTheNextFrameWhenItIsTime() {
        Calendar calendar = open(store.withSyncInterval(Duration.ofMillis(100)));
        scheduleAndAnswer(calendar);
        nowNanos += 100 * MS;
        schedule(calendar, 10);
        assertThat(turn(calendar)).isEqualTo(1);
        assertThat(turn(calendar)).isZero();
    }

    @Test
    void closeWhoseSyncFailsLeavesNothingOpen() {
        Calendar calendar = open(store.withSyncInterval(Duration.ofMillis(100)));
        scheduleAndAnswer(calendar);
        disk.failNext(DiskFault.SYNC_ERROR);
        assertThatThrownBy(calendar::close).isInstanceOf(StoreFailedException.class);
        assertThat(disk.openChannels()).as("left open").isEmpty();
    }

    @Test
    void noneSyncsWhenASegmentIsFullAndAtClosing() {
        Calendar calendar = open(store.withDurability(Durability.NONE));
        assertThat(calendar.durability()).isEqualTo(Durability.NONE);
        long before = disk.syncs();
        for (int i = 0; i < 20; i++) {
            scheduleAndAnswer(calendar);
            nowNanos += 1_000 * MS;
        }
        assertThat(disk.syncs()).isEqualTo(before);
        for (int i = 0; i < 20; i++) {
            scheduleAndAnswer(calendar);
        }
        assertThat(disk.syncs()).isGreaterThan(before);
        while (!calendar.isQuiet()) {
            runLog();
            background.forEach(Runnable::run);
            background.clear();
            calendar.work(100);
        }
        calendar.close();
        disk.crash(CrashKind.POWER_LOSS_MINIMAL);
        assertThat(open(store).liveCount()).isEqualTo(40);
    }

    @Test
    void checkpointSyncsTheLogThatItShows() throws IOException {
        Calendar calendar = open(store.withDurability(Durability.NONE).withCheckpointBytes(4_096));
        for (int i = 0; i < 20; i++) {
            scheduleAndAnswer(calendar);
            background.forEach(Runnable::run);
            background.clear();
        }
        try (Stream<Path> runs = Files.list(disk.path("/data/schedulelog"))) {
            assertThat(runs).isNotEmpty();
        }
        disk.crash(CrashKind.POWER_LOSS_MINIMAL);
        assertThat(open(store).liveCount()).isGreaterThan(8);
    }

    @Test
    void durableLsnOfAFrameIsNeverBeyondWhatIsSynced() {
        Calendar calendar = open(store.withSyncInterval(Duration.ofMillis(100)));
        for (int i = 0; i < 3; i++) {
            scheduleAndAnswer(calendar);
        }
        nowNanos += 100 * MS;
        scheduleAndAnswer(calendar);
        scheduleAndAnswer(calendar);
        assertThat(durableLsns()).containsExactly(0L, 0L, 0L, 0L, 4 * 512L);
    }

    @Test
    void restingLogSaysThatItsLastFrameWasSynced() {
        Calendar calendar = open(store);
        scheduleAndAnswer(calendar);
        nowNanos += MS - 1;
        turn(calendar);
        assertThat(durableLsns()).containsExactly(0L);
        nowNanos += 1;
        assertThat(turn(calendar)).as("syncs").isZero();
        assertThat(durableLsns()).containsExactly(0L, 512L);
        nowNanos += 10 * MS;
        turn(calendar);
        turn(calendar);
        assertThat(durableLsns()).hasSize(2);
    }

    @Test
    void logThatIsNotLeftAloneSaysItInTheNextFrame() {
        Calendar calendar = open(store);
        for (int i = 0; i < 3; i++) {
            scheduleAndAnswer(calendar);
        }
        assertThat(durableLsns()).containsExactly(0L, 512L, 1_024L);
    }

    private List<Long> durableLsns() {
        ByteBuffer bytes = ByteBuffer.wrap(
                        disk.visibleBytes(disk.path("/data/commitlog/0000000000000000-00000001.log")))
                .order(ByteOrder.LITTLE_ENDIAN);
        long identity = StoreImage.identity(bytes);
        List<Long> durable = new ArrayList<>();
        int offset = LogSegment.HEADER_BYTES;
        for (Frame.Header frame = Frame.read(bytes, offset, identity);
                frame != null;
                frame = Frame.read(bytes, offset, identity)) {
            durable.add(frame.durableLsn());
            offset += frame.bytes();
        }
        return durable;
    }

    @Test
    void logGoesOnWithoutSpares() throws IOException {
        Calendar calendar = open(store);
        for (int i = 0; i < 80; i++) {
            scheduleAndAnswer(calendar);
        }
        assertThat(background).as("a spare that is never made").isNotEmpty();
        try (Stream<Path> segments = Files.list(disk.path("/data/commitlog"))) {
            assertThat(segments).hasSizeGreaterThan(2);
        }
        disk.crash(CrashKind.POWER_LOSS);
        assertThat(open(store).liveCount()).isEqualTo(80);
    }

    /** The log has never nothing to do: whoever waits for that waits for ever. */
    @Test
    void intervalIsKeptThoughSomebodyComesAllTheTime() {
        Calendar calendar = open(store.withSyncInterval(Duration.ofMillis(100)));
        long syncs = 0;
        for (int i = 0; i < 20; i++) {
            schedule(calendar, 10);
            syncs += turn(calendar);
            nowNanos += 20 * MS;
        }
        assertThat(syncs).as("syncs in 400 ms").isBetween(3L, 4L);
    }

    @Test
    void checkpointComesToItsEndThoughSomebodyComesAllTheTime() throws IOException {
        Calendar calendar = open(
                store.withDurability(Durability.NONE).withSegmentBytes(1 << 20).withCheckpointBytes(4_096));
        for (int i = 0; i < 20; i++) {
            schedule(calendar, 10);
            turn(calendar);
            runBackground();
        }
        try (Stream<Path> files = Files.list(disk.path("/data/schedulelog"))) {
            assertThat(files).anyMatch(file -> file.toString().endsWith(DataDirectory.PROGRESS_SUFFIX));
        }
    }

    /** Its place is zeroed, or has an older use of the file: what is lost there would be taken for torn. */
    @Test
    void endOfAFullSegmentIsProvenDurably() {
        Calendar calendar = open(store);
        Path first = disk.path("/data/commitlog/0000000000000000-00000001.log");
        while (disk.visibleNames(disk.path("/data/commitlog")).size() < 2) {
            scheduleAndAnswer(calendar);
            nowNanos += 2 * MS;
        }
        assertThat(durableLsns().get(durableLsns().size() - 1))
                .isGreaterThan(512L * (durableLsns().size() - 1));
        assertThat(disk.durableBytes(first)).isEqualTo(disk.visibleBytes(first));
    }

    @Test
    void intervalOutOfRangeIsRefused() {
        for (Duration wrong : List.of(Duration.ofNanos(999_999), Duration.ZERO, Duration.ofMillis(60_001))) {
            assertThatThrownBy(() -> store.withSyncInterval(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(wrong.toString())
                    .hasMessageContaining("from 1 ms to 60000 ms");
        }
        assertThatThrownBy(() -> store.withDurability(Durability.INTERVAL))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("withSyncInterval");
    }
}
