package io.tickwheel.store.file.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Deletes what a manifest does not need: of this owner, of those before, and what others left who did not come to the end of an
 * opening. To be called only once that manifest is synced.
 *
 * <p>Invariant: whoever takes the directory over reads that manifest, or a later one, and needs nothing of what is deleted. So
 * it is looked for the mark of this owner first, and nothing is deleted whose epoch is higher: it would be of somebody who has
 * taken over since.
 */
public final class Disposal {

    private final DataDirectory directory;
    private final OwnerMark owner;
    private final Recycling recycling;

    /** The segments of earlier owners that are part of the log, in their order, and the first one of this owner. */
    private final List<SegmentName> inherited;

    /** Takes segments that this owner has written, and that are not needed any more. */
    public interface Recycling {

        /** Returns false to have it deleted. */
        boolean keep(Path segment) throws IOException;
    }

    /**
     * @param before the segments of earlier owners that are part of the log, in their order
     * @param first the first segment of this owner
     */
    public Disposal(
            DataDirectory directory,
            OwnerMark owner,
            Recycling recycling,
            List<SegmentName> before,
            SegmentName first) {
        this.directory = directory;
        this.owner = owner;
        this.recycling = recycling;
        this.inherited = new ArrayList<>(before);
        this.inherited.add(first);
    }

    /**
     * Deletes all but what is named here, and what has a name of its own in the root.
     *
     * @param runs the numbers of their files
     * @param keys the generation of saved keys that are needed though the manifest does not name them; 0 for none
     */
    public void dropAllBut(Manifest manifest, Collection<Long> runs, long keys) throws IOException {
        List<Path> files = directory.files();
        // The log may have just begun the next segment: without it the end of the log would be missing after a power
        // loss.
        directory.syncCommitLog();
        owner.check();
        Set<Path> needed = new HashSet<>();
        needed.add(directory.progress(manifest.progress()));
        needed.add(directory.keys(manifest.keys()));
        needed.add(directory.keys(keys));
        runs.forEach(run -> needed.add(directory.run(run)));
        neededSegments(files, manifest.checkpointLsn()).forEach(segment -> needed.add(directory.segment(segment)));
        for (Path file : files) {
            if (!needed.contains(file)) {
                drop(file);
            }
        }
    }

    private List<SegmentName> neededSegments(List<Path> files, long checkpointLsn) {
        List<SegmentName> own = new ArrayList<>();
        SegmentName first = inherited.get(inherited.size() - 1);
        for (Path file : files) {
            SegmentName segment = SegmentName.of(file.getFileName().toString());
            if (segment != null && segment.epoch() == owner.epoch() && segment.baseLsn() > first.baseLsn()) {
                own.add(segment);
            }
        }
        own.sort(null);
        List<SegmentName> log = new ArrayList<>(inherited);
        log.addAll(own);
        int needed = 0;
        while (needed + 1 < log.size() && log.get(needed + 1).baseLsn() <= checkpointLsn) {
            needed++;
        }
        return log.subList(needed, log.size());
    }

    private void drop(Path file) throws IOException {
        String name = file.getFileName().toString();
        int epoch = DataDirectory.epochOfFile(name);
        boolean isOwn = epoch == owner.epoch();
        SegmentName segment = SegmentName.of(name);
        // A segment may be being begun, in a spare or an unfinished file.
        if (epoch > owner.epoch() || (isOwn && (DataDirectory.isSpare(name) || DataDirectory.isUnfinished(name)))) {
            return;
        }
        if (segment == null || !isOwn || !recycling.keep(file)) {
            Files.deleteIfExists(file);
        }
    }

    /** Deletes the manifests of earlier owners. */
    public void dropManifests() throws IOException {
        List<DataDirectory.ManifestName> manifests = directory.manifests();
        owner.check();
        for (DataDirectory.ManifestName manifest : manifests) {
            if (manifest.epoch() > 0 && manifest.epoch() < owner.epoch()) {
                Files.deleteIfExists(directory.manifest(manifest));
            }
        }
    }

    /** Deletes the progress of earlier checkpoints. */
    public void dropProgressBut(long generation) throws IOException {
        List<Long> progresses = directory.progresses();
        owner.check();
        for (long other : progresses) {
            if (other != generation && other >>> 32 <= owner.epoch()) {
                Files.deleteIfExists(directory.progress(other));
            }
        }
    }
}
