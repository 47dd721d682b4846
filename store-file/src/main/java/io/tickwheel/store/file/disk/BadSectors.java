package io.tickwheel.store.file.disk;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The pages of files that could not be read, so that nobody waits for them a second time, nor takes one for good that was bad
 * before. For one thread.
 */
final class BadSectors {

    /** As much as the system reads at once, at least: a bad sector makes a page of it unreadable. */
    static final int PAGE_BYTES = 4_096;

    private final Map<Path, BadPages> files = new TreeMap<>();

    private record BadPages(BitSet pages, long fileBytes) {}

    /** Where the next page begins that is known to be bad, from the page of an offset on; at most the other offset. */
    long nextBad(Path file, long offset, long most) {
        BadPages bad = files.get(file);
        int page = bad == null ? -1 : bad.pages.nextSetBit(page(offset));
        return page < 0 ? most : Math.min(most, (long) page * PAGE_BYTES);
    }

    /** The page of that offset cannot be read. */
    void add(Path file, long offset, long fileBytes) {
        files.computeIfAbsent(file, first -> new BadPages(new BitSet(), fileBytes))
                .pages
                .set(page(offset));
    }

    private static int page(long offset) {
        return Math.toIntExact(offset / PAGE_BYTES);
    }

    static long pageEnd(long offset) {
        return (offset / PAGE_BYTES + 1) * PAGE_BYTES;
    }

    /** By file, rising; what lies side by side is one part. */
    List<BadPart> parts() {
        List<BadPart> parts = new ArrayList<>();
        files.forEach((file, bad) -> {
            for (int page = bad.pages.nextSetBit(0); page >= 0; ) {
                int end = bad.pages.nextClearBit(page);
                long to = Math.min(bad.fileBytes, (long) end * PAGE_BYTES);
                parts.add(new BadPart(file, (long) page * PAGE_BYTES, to));
                page = bad.pages.nextSetBit(end);
            }
        });
        return parts;
    }
}
