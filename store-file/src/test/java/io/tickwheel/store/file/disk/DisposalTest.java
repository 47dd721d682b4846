package io.tickwheel.store.file.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is deleted once a manifest stands, and what is not. */
class DisposalTest {

    /** Whoever takes over between the look at the mark and the last deletion needs what he has made. */
    @Test
    void nothingOfALaterOwnerIsDeleted() throws IOException {
        SimulatedDisk disk = new SimulatedDisk(1);
        try (DataDirectory directory = DataDirectory.open(disk.path("/data"));
                OwnerMark owner = OwnerMark.claim(directory, 4, () -> 0)) {
            assertThat(owner.epoch()).isEqualTo(5);
            SegmentName segment = new SegmentName(512, 5);
            List<Path> needed =
                    List.of(directory.segment(segment), directory.run(run(4, 1)), directory.progress(run(5, 1)));
            List<Path> ofOthers = List.of(
                    directory.segment(new SegmentName(256, 4)),
                    directory.segment(new SegmentName(512, 3)),
                    directory.spare(new DataDirectory.SpareName(4, 1)),
                    directory.run(run(5, 2)),
                    directory.run(run(4, 3)),
                    directory.progress(run(4, 9)),
                    directory.keys(run(3, 1)),
                    DataDirectory.unfinished(directory.run(run(4, 8))));
            List<Path> ofALaterOne = List.of(
                    directory.segment(new SegmentName(512, 6)),
                    directory.spare(new DataDirectory.SpareName(6, 1)),
                    directory.run(run(6, 1)),
                    directory.progress(run(6, 1)),
                    directory.keys(run(6, 1)),
                    DataDirectory.unfinished(directory.run(run(6, 2))));
            for (List<Path> files : List.of(needed, ofOthers, ofALaterOne)) {
                for (Path file : files) {
                    Files.createFile(file);
                }
            }
            Manifest manifest = new Manifest(Manifest.FORMAT, 5, run(5, 1), 77, 512, 512, 1, 9, run(5, 1), 0, false);

            Disposal disposal = new Disposal(directory, owner, file -> false, List.of(), segment);
            disposal.dropAllBut(manifest, List.of(run(4, 1)), 0);
            disposal.dropProgressBut(run(5, 1));

            assertThat(needed).allSatisfy(file -> assertThat(file).exists());
            assertThat(ofOthers).allSatisfy(file -> assertThat(file).doesNotExist());
            assertThat(ofALaterOne).allSatisfy(file -> assertThat(file).exists());
            owner.endInOrder();
        }
    }

    /** As runs, generations and their files are numbered. */
    private static long run(int epoch, int number) {
        return ((long) epoch << Integer.SIZE) | number;
    }
}
