package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.Answer;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.OnConflict;
import io.tickwheel.store.ScheduleCommand;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreLockedException;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.DurableFiles;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.file.log.LogSegment;
import io.tickwheel.store.file.run.RunFormat;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.RoomyListener;
import io.tickwheel.store.testkit.SimulatedCrash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Damages a store, salvages it, and looks for each of its timers. */
@Tag("simulated")
class SalvageTest {

    private static final int TIMERS = 400;
    private static final int REPLACED = 10;

    private static final CalendarListener NOBODY = new RoomyListener() {};

    /** The store at rest, after a kill, and what it shows of each of its keys. */
    record Store(Map<String, byte[]> files, Map<String, TimerView> timers) {

        static final Store MADE = make();

        private static Store make() {
            SimulatedStore store = new SimulatedStore(1, UnaryOperator.identity(), 9_000);
            store.open(NOBODY);
            for (int i = 0; i < TIMERS + REPLACED; i++) {
                schedule(store, i % TIMERS, i);
                if (i % 7 == 0) {
                    store.settle();
                }
            }
            store.rest();
            Map<String, TimerView> timers = find(store);
            store.crash(CrashKind.PROCESS_KILL);
            return new Store(StoreImage.read(store), timers);
        }

        String any(String suffix, int position) {
            List<String> names = files.keySet().stream()
                    .filter(name -> name.endsWith(suffix))
                    .toList();
            return names.get(Math.min(position, names.size() - 1));
        }

        Map<String, byte[]> flipped(String name, int at) {
            Map<String, byte[]> changed = new TreeMap<>(files);
            byte[] bytes = files.get(name).clone();
            bytes[at] ^= 16;
            changed.put(name, bytes);
            return changed;
        }

        Map<String, byte[]> cut(String name, int length) {
            Map<String, byte[]> changed = new TreeMap<>(files);
            changed.put(name, Arrays.copyOf(files.get(name), length));
            return changed;
        }

        Map<String, byte[]> without(String name) {
            Map<String, byte[]> changed = new TreeMap<>(files);
            changed.remove(name);
            return changed;
        }
    }

    private static void schedule(SimulatedStore store, int key, int number) {
        store.calendar()
                .schedule(
                        new ScheduleCommand(
                                new TimerKey("q" + key % 3, "k" + key),
                                1_000_000L + number * 60_000L,
                                TimerContent.of(number, 40),
                                OnConflict.REPLACE,
                                0),
                        new Answer<>() {
                            @Override
                            public void accept(io.tickwheel.store.Scheduled result) {}

                            @Override
                            public void fail(StoreException failure) {
                                throw failure;
                            }
                        });
    }

    private static Map<String, TimerView> find(SimulatedStore store) {
        Map<String, TimerView> found = new HashMap<>();
        for (int key = 0; key < TIMERS; key++) {
            store.calendar().find(new TimerKey("q" + key % 3, "k" + key), new Answer<>() {
                @Override
                public void accept(List<TimerView> result) {
                    result.forEach(view -> found.put(view.key().key(), view));
                }

                @Override
                public void fail(StoreException failure) {
                    throw failure;
                }
            });
            store.settle();
        }
        return found;
    }

    /** Salvages, opens, and returns how many timers are missing; all others must be as they were. */
    private static int salvage(Map<String, byte[]> damaged, String file) {
        SimulatedStore store = StoreImage.restore(damaged);
        StoreDirectory directory = StoreDirectory.at(store.directory());
        StoreSalvage done = directory.salvage();
        assertThat(done.damages()).as(file).isNotEmpty();
        return check(store, damaged, file, done);
    }

    private static int check(SimulatedStore store, Map<String, byte[]> damaged, String file, StoreSalvage done) {
        return missing(store, damaged, file, done).size();
    }

    /** Opens a store that was salvaged; which timers are missing. */
    static List<TimerView> missing(SimulatedStore store, Map<String, byte[]> damaged, String file, StoreSalvage done) {
        StoreDirectory directory = StoreDirectory.at(store.directory());
        assertThat(store.disk.openChannels()).isEmpty();
        assertThat(directory.verify().damages()).as(file).isEmpty();
        byte[] original = damaged.get(file);
        if (original != null && !file.endsWith(DataDirectory.KEYS_SUFFIX)) {
            String name = file.substring(file.lastIndexOf('/') + 1);
            byte[] found = StoreImage.read(store).get(done.quarantine() + "/" + name);
            assertThat(Arrays.equals(found, original))
                    .as("original of %s", file)
                    .isTrue();
        }
        store.open(NOBODY);
        store.settle();
        Map<String, TimerView> found = find(store);
        List<TimerView> missing = new ArrayList<>();
        for (TimerView was : Store.MADE.timers().values()) {
            TimerView is = found.remove(was.key().key());
            if (is == null) {
                missing.add(was);
            } else if (is.version() == was.version()) {
                assertThat(is).isEqualTo(was);
            }
        }
        assertThat(found).isEmpty();
        assertThat(done.kept()).isEqualTo(TIMERS - missing.size());
        // New timers get ids that nobody had.
        schedule(store, 0, 9_999);
        store.settle();
        assertThat(Store.MADE.timers().values())
                .extracting(TimerView::id)
                .doesNotContain(find(store).get("k0").id());
        store.close();
        return missing;
    }

    @Test
    void wholeStoreIsLeftAsItIs() {
        SimulatedStore store = StoreImage.restore(Store.MADE.files());
        StoreSalvage done = StoreDirectory.at(store.directory()).salvage();
        assertThat(done.damages()).isEmpty();
        assertThat(done.quarantine()).isNull();
        assertThat(StoreImage.same(StoreImage.read(store), Store.MADE.files())).isTrue();
    }

    @Test
    void damagedRecordOfARunLosesThatTimerOnly() {
        String run = Store.MADE.any(DataDirectory.RUN_SUFFIX, 9);
        assertThat(salvage(Store.MADE.flipped(run, RunFormat.HEADER_BYTES + 30), run))
                .isEqualTo(1);
    }

    @Test
    void damagedBlockOfEntriesLosesItsTimersOnly() {
        String run = Store.MADE.any(DataDirectory.RUN_SUFFIX, 9);
        byte[] bytes = Store.MADE.files().get(run);
        StoreDirectory damaged =
                StoreDirectory.at(StoreImage.restore(Store.MADE.flipped(run, bytes.length / 4_096 * 4_096 - 4_000))
                        .directory());
        long known = damaged.verify().damages().get(0).timers().orElseThrow();
        assertThat(known).isBetween(1L, (long) RunFormat.Entries.CURRENT.perBlock());
        assertThat(salvage(Store.MADE.flipped(run, bytes.length / 4_096 * 4_096 - 4_000), run))
                .isEqualTo((int) known);
    }

    @Test
    void damagedHeaderOrEndOfARunLosesNothing() {
        String run = Store.MADE.any(DataDirectory.RUN_SUFFIX, 0);
        byte[] bytes = Store.MADE.files().get(run);
        assertThat(salvage(Store.MADE.flipped(run, 3), run)).isZero();
        assertThat(salvage(Store.MADE.flipped(run, bytes.length - 30), run)).isZero();
        assertThat(salvage(Store.MADE.cut(run, bytes.length - 64), run)).isZero();
    }

    /** Its entries say all that it says: the run is written anew. */
    @Test
    void damagedFilterOfARunLosesNothing() {
        String run = Store.MADE.any(DataDirectory.RUN_SUFFIX, 9);
        byte[] bytes = Store.MADE.files().get(run);
        ByteBuffer end = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int entries = (int) end.getLong(bytes.length - RunFormat.TRAILER_BYTES + 16);
        Map<String, byte[]> damaged = Store.MADE.flipped(run, entries - RunFormat.BLOCK_BYTES + 7);
        StoreDirectory directory = StoreDirectory.at(StoreImage.restore(damaged).directory());
        assertThat(directory.verify().damages()).singleElement().satisfies(damage -> {
            assertThat(damage.what()).startsWith("block 0 of the filter is damaged");
            assertThat(damage.offset()).isEqualTo(entries - RunFormat.BLOCK_BYTES);
            assertThat(damage.timers()).hasValue(0);
        });
        assertThat(salvage(damaged, run)).isZero();
    }

    @Test
    void missingRunLosesWhatWasInIt() {
        String run = Store.MADE.any(DataDirectory.RUN_SUFFIX, 0);
        int lost = salvage(Store.MADE.without(run), run);
        assertThat(lost).isBetween(1, TIMERS / 2);
        assertThat(salvage(Store.MADE.cut(run, 4_000), run))
                .as("nothing in it can be read")
                .isEqualTo(lost);
    }

    @Test
    void damagedProgressLosesNothing() {
        String progress = Store.MADE.any(DataDirectory.PROGRESS_SUFFIX, 9);
        assertThat(salvage(Store.MADE.flipped(progress, 50), progress)).isZero();
        assertThat(salvage(Store.MADE.without(progress), progress)).isZero();
    }

    @Test
    void damagedFrameLosesWhatWasInItOnly() {
        for (int position = 0; position < 2; position++) {
            String segment = Store.MADE.any(SegmentName.SUFFIX, position);
            for (int at = 5; at < Store.MADE.files().get(segment).length; at += 300) {
                Map<String, byte[]> damaged = Store.MADE.flipped(segment, at);
                SimulatedStore store = StoreImage.restore(damaged);
                if (!StoreDirectory.at(store.directory()).verify().damages().isEmpty()) {
                    assertThat(salvage(damaged, segment)).isLessThanOrEqualTo(8);
                }
            }
        }
    }

    @Test
    void damagedManifestsLoseNothing() {
        String first = "MANIFEST-00000001-A";
        String second = "MANIFEST-00000001-B";
        Map<String, byte[]> damaged = Store.MADE.flipped(first, 20);
        byte[] b = Store.MADE.files().get(second).clone();
        b[40] ^= 1;
        damaged.put(second, b);
        assertThat(salvage(damaged, first)).isZero();
    }

    @Test
    void crashAtAnyOperationLeavesTheDamagedStoreOrTheNewOne() throws IOException {
        String run = Store.MADE.any(DataDirectory.RUN_SUFFIX, 9);
        Map<String, byte[]> damaged = Store.MADE.flipped(run, RunFormat.HEADER_BYTES + 30);
        SimulatedStore whole = restoreDurably(damaged);
        long before = whole.disk.operations();
        StoreDirectory.at(whole.directory()).salvage();
        long last = whole.disk.operations() - before;
        int crashes = 0;
        boolean ended = false;
        // The new store begins to count near the end.
        for (long operation = 0; !ended; operation += operation < last - 40 ? 5 : 1) {
            SimulatedStore store = restoreDurably(damaged);
            StoreDirectory directory = StoreDirectory.at(store.directory());
            store.crashAfter(operation, CrashKind.POWER_LOSS_MINIMAL);
            try {
                directory.salvage();
                ended = !store.disk.crashed();
            } catch (SimulatedCrash | StoreException crash) {
                assertThat(store.disk.crashed()).isTrue();
            }
            if (!ended) {
                crashes++;
                store.disk.restart();
                StoreSalvage again = directory.salvage();
                if (again.quarantine() == null) {
                    store.open(NOBODY);
                    store.settle();
                    assertThat(find(store)).hasSize(TIMERS - 1);
                } else {
                    assertThat(again.damages()).hasSize(1);
                    assertThat(check(store, damaged, run, again)).isEqualTo(1);
                }
            }
        }
        assertThat(crashes).isGreaterThan(10);
    }

    /** It had begun to write the end of the log anew: what it wrote says the same as what is there, or less. */
    @Test
    void logOfAnOpeningThatDidNotEndIsNotTakenForTheLog() throws IOException {
        Map<String, byte[]> damaged = Store.MADE.flipped("MANIFEST-00000001-A", 20);
        damaged.put("MANIFEST-00000001-B", new byte[84]);
        String last = Store.MADE.any(SegmentName.SUFFIX, Integer.MAX_VALUE);
        SimulatedStore store = StoreImage.restore(damaged);
        long lsn = SegmentName.of(last.substring(last.lastIndexOf('/') + 1)).baseLsn();
        SegmentName begun = new SegmentName(lsn, 2);
        Path segment = store.directory().resolve("commitlog").resolve(begun.fileName());
        LogSegment.create(segment, store(damaged.get(last)), begun, null).close();
        StoreSalvage done = StoreDirectory.at(store.directory()).salvage();
        assertThat(check(store, damaged, "MANIFEST-00000001-A", done)).isZero();
    }

    private static long store(byte[] segment) {
        return ByteBuffer.wrap(segment).order(ByteOrder.LITTLE_ENDIAN).getLong(16);
    }

    private static SimulatedStore restoreDurably(Map<String, byte[]> files) throws IOException {
        SimulatedStore store = StoreImage.restore(files);
        Files.createDirectories(store.directory().resolve("keys"));
        for (String name : List.of("", "commitlog", "schedulelog", "keys", "..")) {
            DurableFiles.sync(store.directory().resolve(name).normalize());
        }
        return store;
    }

    /** The salvage has deleted them elsewhere. */
    @Test
    void originalsAreThereAfterALossOfPower() throws IOException {
        String run = Store.MADE.any(DataDirectory.RUN_SUFFIX, 9);
        Map<String, byte[]> damaged = Store.MADE.flipped(run, RunFormat.HEADER_BYTES + 30);
        SimulatedStore store = restoreDurably(damaged);
        StoreSalvage done = StoreDirectory.at(store.directory()).salvage();
        store.crash(CrashKind.POWER_LOSS_MINIMAL);
        Map<String, byte[]> left = StoreImage.read(store);
        List<String> originals = damaged.keySet().stream()
                .filter(name -> name.equals(run)
                        || name.endsWith(SegmentName.SUFFIX)
                        || name.endsWith(DataDirectory.PROGRESS_SUFFIX)
                        || name.startsWith("MANIFEST-"))
                .toList();
        assertThat(originals).hasSizeGreaterThan(4);
        for (String original : originals) {
            String kept = done.quarantine() + "/" + original.substring(original.lastIndexOf('/') + 1);
            assertThat(left.get(kept)).as(original).isEqualTo(damaged.get(original));
        }
        store.open(NOBODY);
        store.settle();
        assertThat(find(store)).hasSize(TIMERS - 1);
    }

    /** The next opening makes them anew. */
    @Test
    void storeOfWhichOnlyTheSavedKeysAreDamagedIsLeftAsItIs() {
        StoreImage image = StoreImage.closed();
        String keys = image.files().keySet().stream()
                .filter(name -> name.endsWith(DataDirectory.KEYS_SUFFIX))
                .findFirst()
                .orElseThrow();
        Map<String, byte[]> damaged = image.with(keys, new byte[7]);
        SimulatedStore store = StoreImage.restore(damaged);
        StoreSalvage done = StoreDirectory.at(store.directory()).salvage();
        assertThat(done.damages()).extracting(StoreDamage::file).containsExactly(keys);
        assertThat(done.quarantine()).isNull();
        assertThat(StoreImage.same(StoreImage.read(store), damaged)).isTrue();
    }

    @Test
    void storeThatIsOpenIsRefused() {
        SimulatedStore store = StoreImage.restore(Store.MADE.files());
        store.open(NOBODY);
        assertThatThrownBy(() -> StoreDirectory.at(store.directory()).salvage())
                .isInstanceOf(StoreLockedException.class);
    }
}
