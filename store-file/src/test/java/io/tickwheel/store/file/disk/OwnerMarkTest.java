package io.tickwheel.store.file.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which epoch an owner takes: one that nothing has in its name, whoever was faster. */
class OwnerMarkTest {

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private DataDirectory directory;

    @BeforeEach
    void open() throws IOException {
        directory = DataDirectory.open(disk.path("/data"));
    }

    @AfterEach
    void close() throws IOException {
        directory.close();
    }

    private int claim() throws IOException {
        try (OwnerMark mark = OwnerMark.claim(directory, 0, () -> 0)) {
            assertThat(mark.isFirst()).isTrue();
            mark.endInOrder();
            return mark.epoch();
        }
    }

    /** As an opening leaves it that did not come to its end, and whose mark is gone. */
    @Test
    void epochInTheNameOfAnyFileIsNotGivenAgain() throws IOException {
        assertThat(claim()).isEqualTo(1);
        Files.createFile(directory.segment(new SegmentName(512, 4)));
        assertThat(claim()).isEqualTo(5);
        Files.createFile(directory.spare(new DataDirectory.SpareName(6, 1)));
        assertThat(claim()).isEqualTo(7);
        Files.createFile(directory.run(8L << 32));
        assertThat(claim()).isEqualTo(9);
        Files.createFile(DataDirectory.unfinished(directory.keys(10L << 32)));
        assertThat(claim()).isEqualTo(11);
    }

    /** Another one has taken it, and ended in order, between the look at the names and the mark: at each operation. */
    @Test
    void epochThatAnotherOneHadMeanwhileIsNotGivenAgain() throws IOException {
        Manifest other = Manifest.first(77).opened(1, 10, 5, 2);
        int lives = 0;
        boolean isLate = false;
        for (int operation = 0; !isLate; operation++) {
            boolean[] lived = new boolean[1];
            int[] left = {operation};
            disk.beforeEach(() -> {
                if (left[0]-- == 0) {
                    lived[0] = !disk.visibleNames(directory.root()).contains("OWNER-00000001");
                    if (lived[0]) {
                        live(other);
                    }
                }
            });
            int claimed = claim();
            disk.beforeEach(null);
            isLate = !lived[0];
            assertThat(claimed).as("at operation %d", operation).isEqualTo(isLate ? 1 : 2);
            lives += isLate ? 0 : 1;
            Files.deleteIfExists(directory.manifest(other.slot()));
        }
        assertThat(lives).isPositive();
    }

    private void live(Manifest other) {
        try {
            other.create(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
