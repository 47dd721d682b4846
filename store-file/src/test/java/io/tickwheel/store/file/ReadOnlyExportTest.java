package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.StoreLockedException;
import io.tickwheel.store.file.disk.DataDirectory;
import io.tickwheel.store.testkit.RoomyListener;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Exports a store from a disk on which nothing can be written. */
class ReadOnlyExportTest {

    private static final StoreImage CLOSED = StoreImage.closed();
    private static final StoreImage KILLED = StoreImage.killed();
    private static final String MARK = "OWNER-00000002";

    private static SimulatedStore readOnly(Map<String, byte[]> files) {
        SimulatedStore store = StoreImage.restore(files);
        store.disk.mountReadOnly();
        return store;
    }

    private static List<String> export(SimulatedStore store) {
        List<String> timers = new ArrayList<>();
        long count = StoreDirectory.at(store.directory()).export(timer -> timers.add(timer.view() + " "));
        assertThat(count).isEqualTo(timers.size()).isPositive();
        assertThat(store.disk.openChannels()).isEmpty();
        return timers;
    }

    private static Map<String, byte[]> without(StoreImage image, String... names) {
        Map<String, byte[]> files = new TreeMap<>(image.files());
        for (String name : names) {
            assertThat(files.remove(name)).as(name).isNotNull();
        }
        return files;
    }

    @Test
    void backupIsExportedAndVerifiedWhereNothingCanBeWritten() {
        SimulatedStore store = StoreImage.restore(KILLED.files());
        Path backup = store.disk.path("/backup");
        StoreDirectory.at(store.directory()).backUpTo(backup);
        List<String> expected = export(store);
        store.disk.mountReadOnly();
        assertThat(store.disk.visibleNames(backup)).doesNotContain(StoreImage.LOCK);
        List<String> found = new ArrayList<>();
        StoreDirectory.at(backup).export(timer -> found.add(timer.view() + " "));
        assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(StoreDirectory.at(backup).verify().damages()).isEmpty();
    }

    @Test
    void storeWithALockFileIsExportedWhereNothingCanBeWritten() {
        assertThat(export(readOnly(CLOSED.files()))).isEqualTo(export(StoreImage.restore(CLOSED.files())));
        assertThat(export(readOnly(KILLED.files()))).isEqualTo(export(StoreImage.restore(KILLED.files())));
    }

    @Test
    void storeThatAnotherProcessHasOpenIsRefused() throws IOException {
        SimulatedStore store = readOnly(KILLED.files());
        try (Closeable other = store.disk.lockAsOtherProcess(store.directory().resolve(StoreImage.LOCK))) {
            assertThat(other).isNotNull();
            assertThatThrownBy(() -> export(store))
                    .isInstanceOf(StoreLockedException.class)
                    .hasMessageContaining("is open in another process or engine");
            assertThat(store.disk.openChannels()).isEmpty();
        }
        assertThat(export(store)).isNotEmpty();
    }

    /** Its owner may be at work, and nothing tells. */
    @Test
    void storeThatWasNotClosedAndHasNoLockFileIsRefused() {
        SimulatedStore store = readOnly(without(KILLED, StoreImage.LOCK));
        assertThatThrownBy(() -> export(store))
                .isInstanceOf(StoreLockedException.class)
                .hasMessageContaining(MARK)
                .hasMessageContaining("no file LOCK");
        assertThat(export(readOnly(without(KILLED, StoreImage.LOCK, MARK)))).isNotEmpty();
    }

    @Test
    void storeThatIsOpenedWhileItIsReadIsTold() throws IOException {
        for (String made : List.of(StoreImage.LOCK, MARK, "MANIFEST-00000003-A")) {
            SimulatedStore store = StoreImage.restore(without(CLOSED, StoreImage.LOCK));
            StoreDirectory directory = StoreDirectory.at(store.directory());
            store.disk.mountReadOnly();
            List<String> given = new ArrayList<>();
            assertThatThrownBy(() -> directory.export(timer -> {
                        if (given.isEmpty()) {
                            store.disk.mountWritable();
                            make(store.directory().resolve(made));
                        }
                        given.add(timer.toString());
                    }))
                    .as(made)
                    .isInstanceOf(StoreLockedException.class)
                    .hasMessageContaining("while it was read");
            assertThat(store.disk.openChannels()).isEmpty();
        }
    }

    /** A file that is gone looks like damage. */
    @Test
    void storeThatIsOpenedBeforeAFileCannotBeReadIsNotToldAsDamaged() {
        Map<String, byte[]> files = without(CLOSED, StoreImage.LOCK);
        List<String> runs = files.keySet().stream()
                .filter(name -> name.endsWith(DataDirectory.RUN_SUFFIX))
                .toList();
        assertThat(runs).hasSizeGreaterThan(1);
        SimulatedStore store = readOnly(files);
        StoreDirectory directory = StoreDirectory.at(store.directory());
        assertThatThrownBy(() -> directory.export(timer -> {
                    store.disk.mountWritable();
                    make(store.directory().resolve(MARK));
                    runs.forEach(run -> store.disk.truncate(store.directory().resolve(run), 0));
                }))
                .isInstanceOf(StoreLockedException.class)
                .hasMessageContaining("while it was read");
    }

    private static void make(Path file) {
        try {
            if (Files.notExists(file)) {
                Files.createFile(file);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The lock is of the process: an engine of the same one is known by other means. */
    @Test
    void storeThatThisProcessHasOpenIsRefused() {
        SimulatedStore store = StoreImage.restore(CLOSED.files());
        store.open(new RoomyListener() {});
        store.disk.mountReadOnly();
        assertThatThrownBy(() -> StoreDirectory.at(store.directory()).export(timer -> {}))
                .isInstanceOf(StoreLockedException.class);
    }
}
