package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.OnConflict;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerView;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.Manifest;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.file.disk.StableRead;
import io.tickwheel.store.file.run.Progress;
import io.tickwheel.store.file.run.RunFile;
import io.tickwheel.store.file.run.RunFormat;
import io.tickwheel.store.file.run.RunScan;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.RoomyListener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that does not give back single pages of a store: what the tools make of it. */
class BadSectorsTest {

    private static final int PAGE = 4_096;

    /** As long as a frame of the log gets here, or a record. */
    private static final int REACH = 4_096;

    private final SalvageTest.Store made = SalvageTest.Store.MADE;

    /** What the last salvage said. */
    private long lost;

    /** A page of a file. */
    private record Page(String file, int from, int to) {

        String text() {
            return "the disk cannot read bytes " + from + " to " + to;
        }

        void spoil(SimulatedStore store) {
            store.disk.spoil(store.directory().resolve(file), from, to);
        }
    }

    private List<Page> pages(String part) {
        List<Page> pages = new ArrayList<>();
        made.files().forEach((file, bytes) -> {
            for (int from = 0; file.contains(part) && from < bytes.length; from += PAGE) {
                pages.add(new Page(file, from, Math.min(bytes.length, from + PAGE)));
            }
        });
        return pages;
    }

    /** The files as they are in the quarantine then. */
    private Map<String, byte[]> zeroed(Page page) {
        Map<String, byte[]> files = new TreeMap<>(made.files());
        byte[] bytes = files.get(page.file).clone();
        Arrays.fill(bytes, page.from, page.to, (byte) 0);
        files.put(page.file, bytes);
        return files;
    }

    /** Salvages a store with a bad page, and returns what is missing then. */
    private List<TimerView> salvage(Page page) {
        SimulatedStore store = StoreImage.restore(made.files());
        page.spoil(store);
        StoreSalvage done = StoreDirectory.at(store.directory()).salvage();
        assertThat(done.damages()).as("%s", page).anySatisfy(damage -> {
            assertThat(damage.file()).isEqualTo(page.file);
            assertThat(damage.offset()).isEqualTo(page.from);
            assertThat(damage.what()).isEqualTo(page.text());
        });
        assertThat(store.disk.visibleNames(store.directory()))
                .as("%s: what keeps older versions away", page)
                .contains("MANIFEST-A");
        List<TimerView> missing = SalvageTest.missing(store, zeroed(page), page.file, done);
        lost = done.lost();
        boolean numbered =
                done.damages().stream().allMatch(damage -> damage.timers().isPresent());
        assertThat(missing.size() <= done.lost() || !numbered)
                .as("%s: %d are missing, told are %s", page, missing.size(), done)
                .isTrue();
        return missing;
    }

    /** Sectors that could not be read once can be read on another day: the file itself is kept, not only what was read of it. */
    @Test
    void fileThatCouldNotBeReadIsKeptBesideItsCopy() throws IOException {
        int kept = 0;
        for (String part : List.of(SegmentName.SUFFIX, DataDirectory.RUN_SUFFIX, DataDirectory.PROGRESS_SUFFIX)) {
            List<Page> all = pages(part);
            Page page = all.get(all.size() - 1);
            SimulatedStore store = StoreImage.restore(made.files());
            page.spoil(store);
            StoreSalvage done = StoreDirectory.at(store.directory()).salvage();
            Path quarantine = store.directory().resolve(done.quarantine());
            String name = Path.of(page.file).getFileName().toString();
            Path unread = quarantine.resolve(name + ".unread");
            byte[] original = made.files().get(page.file);
            assertThat(Files.size(unread)).as("%s", page).isEqualTo(original.length);
            assertThatThrownBy(() -> Files.readAllBytes(unread)).isInstanceOf(IOException.class);
            assertThat(Files.readAllBytes(quarantine.resolve(name)))
                    .isEqualTo(zeroed(page).get(page.file));
            assertThat(store.directory().resolve(page.file)).doesNotExist();
            kept++;
        }
        assertThat(kept).isEqualTo(3);
    }

    /** Whether the record of a timer may reach into the page. */
    private boolean isNear(TimerView timer, Page page) {
        byte[] bytes = made.files().get(page.file);
        int from = Math.max(0, page.from - REACH);
        int to = Math.min(bytes.length, page.to + REACH);
        String near = new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
        return near.contains(timer.key().key());
    }

    @Test
    void pageOfTheLogTakesOnlyWhatIsInItsFrames() {
        int pages = 0;
        for (Page page : pages(SegmentName.SUFFIX)) {
            assertThat(salvage(page)).as("%s", page).allMatch(timer -> isNear(timer, page));
            pages++;
        }
        assertThat(pages).isGreaterThan(3);
    }

    @Test
    void pageOfARunTakesOnlyTheRecordsAndEntriesInIt() {
        int lossy = 0;
        for (Page page : pages(DataDirectory.RUN_SUFFIX)) {
            byte[] bytes = made.files().get(page.file);
            ByteBuffer end = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            int entries = (int) end.getLong(bytes.length - RunFormat.TRAILER_BYTES + 16);
            int names = (int) end.getLong(bytes.length - RunFormat.TRAILER_BYTES + 24);
            List<TimerView> missing = salvage(page);
            lossy += missing.isEmpty() ? 0 : 1;
            if (page.from >= names) {
                assertThat(missing).as("%s", page).isEmpty();
                assertThat(lost).as("told as lost with %s", page).isZero();
            } else if (page.from >= entries) {
                assertThat(missing.size()).as("%s", page).isLessThanOrEqualTo(RunFormat.Entries.CURRENT.perBlock());
            } else {
                assertThat(missing).as("%s", page).allMatch(timer -> isNear(timer, page));
            }
        }
        assertThat(lossy).isGreaterThan(3);
    }

    @Test
    void pageOfTheProgressOrOfAManifestTakesNothing() {
        List<Page> pages = pages(DataDirectory.PROGRESS_SUFFIX);
        pages.addAll(pages("MANIFEST-"));
        for (Page page : pages) {
            assertThat(salvage(page)).as("%s", page).isEmpty();
        }
        assertThat(pages).hasSizeGreaterThan(3);
    }

    /** Also where no manifest can be read any more, and what the check has not come to is told by the salvage. */
    @Test
    void severalBadPagesAreAllTold() {
        for (long seed = 0; seed < 25; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            SimulatedStore store = StoreImage.restore(made.files());
            List<Page> bad = new ArrayList<>();
            if (seed % 2 == 0) {
                bad.addAll(pages("MANIFEST-00000001-"));
            }
            List<Page> all = pages("log/0");
            for (int i = 0; i < 3; i++) {
                Page page = all.get(random.nextInt(all.size()));
                if (bad.stream().noneMatch(other -> other.file.equals(page.file))) {
                    bad.add(page);
                }
            }
            bad.forEach(page -> page.spoil(store));
            StoreSalvage done = StoreDirectory.at(store.directory()).salvage();
            for (Page page : bad) {
                assertThat(done.damages()).as("seed %d, %s", seed, page).anySatisfy(damage -> {
                    assertThat(damage.file()).isEqualTo(page.file);
                    assertThat(damage.what()).isEqualTo(page.text());
                });
            }
            Page last = bad.get(bad.size() - 1);
            List<TimerView> missing = SalvageTest.missing(store, zeroed(last), last.file, done);
            boolean numbered =
                    done.damages().stream().allMatch(damage -> damage.timers().isPresent());
            assertThat(missing.size() <= done.lost() || !numbered)
                    .as("seed %d: %d are missing, told are %s", seed, missing.size(), done)
                    .isTrue();
        }
    }

    @Test
    void checkNamesThePageAndGoesOn() {
        for (Page page : pages("log/0")) {
            SimulatedStore store = StoreImage.restore(made.files());
            page.spoil(store);
            StoreVerification found = StoreDirectory.at(store.directory()).verify();
            assertThat(found.damages())
                    .as("%s", page)
                    .extracting(StoreDamage::what)
                    .contains(page.text());
            assertThat(found.runs()).as("%s", page).isPositive();
            assertThat(store.disk.openChannels()).isEmpty();
        }
    }

    /** The end of the log that was never written to, too. */
    @Test
    void everyPageThatIsReadIsToldOnce() {
        for (Page page : pages("log/0")) {
            SimulatedStore store = StoreImage.restore(made.files());
            page.spoil(store);
            StoreSalvage done = StoreDirectory.at(store.directory()).salvage();
            assertThat(done.damages())
                    .as("%s", page)
                    .extracting(StoreDamage::what)
                    .containsOnlyOnce(page.text());
        }
    }

    @Test
    void savedKeysOnABadPageAreLeftToTheNextOpening() {
        Map<String, byte[]> files = StoreImage.closed().files();
        String keys = files.keySet().stream()
                .filter(name -> name.endsWith(DataDirectory.KEYS_SUFFIX))
                .findFirst()
                .orElseThrow();
        SimulatedStore store = StoreImage.restore(files);
        new Page(keys, 0, files.get(keys).length).spoil(store);
        StoreSalvage done = StoreDirectory.at(store.directory()).salvage();
        assertThat(done.quarantine()).isNull();
        assertThat(done.damages()).extracting(StoreDamage::file).containsOnly(keys);
        store.open(new RoomyListener() {});
        store.rest();
        store.close();
        assertThat(StoreDirectory.at(store.directory()).verify().damages()).isEmpty();
    }

    /** A record that has ended takes no timer with it, but the run could never be copied. */
    @Test
    void runIsWrittenAnewThoughOnlyWhatHasEndedCannotBeRead() throws IOException {
        SimulatedStore store = new SimulatedStore(1, UnaryOperator.identity(), 100_000);
        Workload workload = new Workload(store);
        workload.openAndCheck();
        for (int i = 0; i < 30; i++) {
            workload.schedule(i % Workload.KEYS, 1_000_000L + i, 10_000, OnConflict.REPLACE);
            store.settle();
        }
        store.rest();
        store.crash(CrashKind.PROCESS_KILL);
        DataDirectory directory = DataDirectory.view(store.directory());
        Manifest manifest = StableRead.manifest(directory);
        Page ended = null;
        for (Progress.RunProgress one : Progress.read(directory, manifest.storeId(), manifest.progress())
                .runs()) {
            int first = one.ended().nextSetBit(0);
            if (first >= 0) {
                BitSet others = new BitSet();
                others.set(0, first);
                try (RunFile run = RunFile.open(directory, manifest.storeId(), one.fileNumber())) {
                    RunScan scan = new RunScan(run, others);
                    scan.next();
                    int from = (int) (scan.recordOffset() + PAGE) / PAGE * PAGE;
                    assertThat(from + PAGE).isLessThan((int) scan.recordOffset() + scan.length());
                    ended = new Page(directory.name(run.path()), from, from + PAGE);
                }
            }
        }
        assertThat(ended).isNotNull();
        ended.spoil(store);
        StoreDirectory tools = StoreDirectory.at(store.directory());
        assertThat(tools.verify().damages())
                .containsExactly(new StoreDamage(ended.file, ended.from, ended.text(), OptionalLong.of(0), null, null));
        StoreSalvage done = tools.salvage();
        assertThat(done.quarantine()).isNotNull();
        assertThat(done.lost()).isZero();
        assertThat(tools.verify().damages()).isEmpty();
        workload.openAndCheck();
        store.close();
    }

    /** On a real disk: an interrupt closes the file that is read. */
    @Test
    void interruptIsNotTakenForDamage(@TempDir Path temp) throws IOException {
        for (Map.Entry<String, byte[]> file : made.files().entrySet()) {
            Path path = temp.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.write(path, file.getValue());
        }
        int interrupted = 0;
        for (int at = 1; at < 400; at += 13) {
            int last = at;
            AtomicInteger calls = new AtomicInteger();
            StoreDirectory directory = StoreDirectory.at(temp).withProgress((done, total) -> {
                if (calls.incrementAndGet() == last) {
                    Thread.currentThread().interrupt();
                }
            });
            try {
                assertThat(directory.verify().damages()).isEmpty();
            } catch (StoreException e) {
                assertThat(e).hasMessageContaining("the calling thread was interrupted");
                interrupted++;
            } finally {
                Thread.interrupted();
            }
        }
        assertThat(interrupted).isGreaterThan(10);
    }

    @Test
    void openingRefusesWhatItCannotRead() {
        List<Page> pages = pages("MANIFEST-");
        pages.addAll(pages(SegmentName.SUFFIX));
        pages.addAll(pages(made.any(DataDirectory.PROGRESS_SUFFIX, 9)));
        for (Page page : pages) {
            SimulatedStore store = StoreImage.restore(made.files());
            page.spoil(store);
            assertThatThrownBy(() -> store.open(new RoomyListener() {}))
                    .as("%s", page)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("reading ")
                    .hasMessageContaining(page.file);
        }
    }
}
