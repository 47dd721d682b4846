package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.TimerState;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.file.disk.ManifestFiles;
import io.tickwheel.store.file.disk.SegmentName;
import io.tickwheel.store.file.log.LogSegment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damages directories of format 2 in places that lose nothing, salvages them, and looks for each of their timers. */
class OldFormatSalvageTest {

    private static final String CLOSED = "format-2-closed";
    private static final String KILLED = "format-2-killed";

    private static Map<String, byte[]> flipped(StoreImage image, int at, List<String> names) {
        Map<String, byte[]> files = new TreeMap<>(image.files());
        for (String name : names) {
            byte[] bytes = image.files().get(name).clone();
            bytes[at] ^= 16;
            files.put(name, bytes);
        }
        return files;
    }

    private static List<String> runs(StoreImage image) {
        List<String> runs = image.files().keySet().stream()
                .filter(name -> name.endsWith(DataDirectory.RUN_SUFFIX))
                .toList();
        assertThat(runs).hasSizeGreaterThan(2);
        return runs;
    }

    private static void assertSalvaged(StoreImage image, Map<String, byte[]> damaged) {
        SimulatedStore store = StoreImage.restore(damaged);
        StoreSalvage done = StoreDirectory.at(store.directory()).salvage();
        assertThat(done.damages()).isNotEmpty();
        assertThat(done.quarantine()).isNotNull();
        assertThat(done.kept())
                .isEqualTo(image.ledger().now().values().stream()
                        .filter(entry -> entry.isLive() || entry.state() == TimerState.DEAD)
                        .count());
        assertThat(StoreDirectory.at(store.directory()).verify().damages()).isEmpty();
        assertThat(store.disk.openChannels()).isEmpty();
        assertAllThere(image, store);
    }

    private static void assertAllThere(StoreImage image, SimulatedStore store) {
        Ledger ledger = image.ledger();
        int commands = ledger.commands();
        ledger.now().keySet().forEach(key -> ledger.show(key, commands));
        Workload workload = new Workload(store, ledger);
        workload.useNames(Workload.plainNames());
        workload.openAndCheck();
        assertThat(ledger.commands()).as("nothing taken back").isEqualTo(commands);
    }

    @ParameterizedTest
    @ValueSource(strings = {CLOSED, KILLED})
    void damagedManifestsLoseNothing(String name) throws IOException {
        StoreImage image = GoldenDirectoryTest.read(name);
        assertSalvaged(image, flipped(image, 20, List.of("MANIFEST-A", "MANIFEST-B")));
    }

    @ParameterizedTest
    @ValueSource(strings = {CLOSED, KILLED})
    void damagedHeadersOfRunsLoseNothing(String name) throws IOException {
        StoreImage image = GoldenDirectoryTest.read(name);
        assertSalvaged(image, flipped(image, 3, runs(image)));
    }

    /** What it had begun is an empty segment far behind the log, and a quarantine that names it. */
    @ParameterizedTest
    @ValueSource(strings = {CLOSED, KILLED})
    void salvageThatAnOlderVersionDidNotEndIsTakenBack(String name) throws IOException {
        StoreImage image = GoldenDirectoryTest.read(name);
        SimulatedStore store = StoreImage.restore(image.files());
        DataDirectory directory = DataDirectory.view(store.directory());
        long storeId = ManifestFiles.of(directory).readable().storeId();
        SegmentName begun = new SegmentName(1 << 20, 0);
        Path segment = directory.segment(begun);
        Files.createDirectories(directory.quarantine(begun.baseLsn()));
        LogSegment.create(segment, storeId, begun, null).close();
        StoreDirectory damaged = StoreDirectory.at(store.directory());
        assertThat(damaged.verify().damages()).isNotEmpty();
        assertThat(damaged.salvage().damages()).isEmpty();
        assertThat(segment).doesNotExist();
        assertAllThere(image, store);
    }
}
