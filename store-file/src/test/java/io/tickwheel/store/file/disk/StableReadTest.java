package io.tickwheel.store.file.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.StoreCorruptedException;
import io.tickwheel.store.StoreLockedException;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A reader beside a server that writes checkpoints: what it reads fits together, and damage is told from a change. */
class StableReadTest {

    private final List<Manifest> read = new ArrayList<>();
    private Manifest newest = Manifest.first(77).opened(1, 10, 5, 2);
    private DataDirectory directory;

    @BeforeEach
    void open() throws IOException {
        directory = DataDirectory.open(new SimulatedDisk(1).path("/data"));
        newest.create(directory);
        checkpointWith(Manifest::create);
    }

    @AfterEach
    void close() throws IOException {
        directory.close();
    }

    /** Puts a manifest into the directory. */
    private interface Writing {
        void write(Manifest manifest, DataDirectory directory) throws IOException;
    }

    private void checkpointWith(Writing writing) throws IOException {
        newest = newest.checkpointed(newest.checkpointLsn() + 10, newest.syncedLsn() + 10, 9, 3);
        writing.write(newest, directory);
    }

    private void checkpoint() throws IOException {
        checkpointWith(Manifest::write);
    }

    /** As many checkpoints come in between as {@code changes}; what is read is the number of the try. */
    private int readBeside(int changes, StableRead.Reading<Integer> reading) throws IOException {
        return StableRead.read(directory, manifest -> {
            read.add(manifest);
            if (read.size() <= changes) {
                checkpoint();
            }
            return reading.read(manifest);
        });
    }

    @Test
    void whatACheckpointCameBetweenIsReadAgain() throws IOException {
        assertThat(readBeside(2, manifest -> read.size())).isEqualTo(3);
        assertThat(read).doesNotHaveDuplicates().endsWith(newest);
    }

    @Test
    void storeThatChangesFiftyTimesIsRefused() throws IOException {
        assertThat(readBeside(49, manifest -> read.size())).isEqualTo(50);
        read.clear();
        assertThatThrownBy(() -> readBeside(50, manifest -> read.size()))
                .isInstanceOf(StoreLockedException.class)
                .hasMessageContaining("changed 50 times");
        assertThat(read).hasSize(50);
    }

    @Test
    void fileThatACheckpointHasDroppedIsNotMissed() throws IOException {
        assertThat(readBeside(1, manifest -> {
                    if (!manifest.equals(newest)) {
                        throw new NoSuchFileException("dropped");
                    }
                    return read.size();
                }))
                .isEqualTo(2);
    }

    @Test
    void fileThatIsGoneWithoutACheckpointIsMissedAtOnce() {
        assertThatThrownBy(() -> readBeside(0, manifest -> {
                    throw new NoSuchFileException("gone");
                }))
                .isInstanceOf(NoSuchFileException.class);
        assertThat(read).hasSize(1);
    }

    @Test
    void damageIsReportedWhenItIsThereTheSecondTimeToo() {
        assertThatThrownBy(() -> readBeside(0, manifest -> {
                    throw new StoreCorruptedException("file", 7, "damaged");
                }))
                .isInstanceOf(StoreCorruptedException.class);
        assertThat(read).hasSize(2);
    }

    @Test
    void damageThatLooksOtherwiseTheNextTimeIsReadAgain() throws IOException {
        assertThat(readBeside(0, manifest -> {
                    if (read.size() < 4) {
                        throw new StoreCorruptedException("file", read.size(), "being written");
                    }
                    return read.size();
                }))
                .isEqualTo(4);
    }

    @Test
    void damageBesideACheckpointIsReadAgain() throws IOException {
        assertThat(readBeside(3, manifest -> {
                    if (read.size() < 4) {
                        throw new StoreCorruptedException("file", 7, "damaged");
                    }
                    return read.size();
                }))
                .isEqualTo(4);
    }
}
