package io.tickwheel.store.file.recovery;

import io.tickwheel.store.file.run.RunEntry;
import io.tickwheel.store.file.table.Run;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Looks for the entries of many keys at once, by a look at the hashes of all entries of all runs. Owned by the loop. */
final class KeySearch {

    private static final int FILTER_BITS = 16;

    private final List<Run> runs;
    private final int blocksARead;
    private final EntryVisitor visitor;
    private Set<Long> sought = Set.of();

    /** The first bits of the hashes, for those that are none of them. */
    private BitSet filter = new BitSet();

    /** Where it is; behind the last run when it is not under way. */
    private int position;

    private int ordinal;
    private @Nullable RunEntry entry;

    KeySearch(List<Run> runs, int blocksARead, EntryVisitor visitor) {
        this.runs = runs;
        this.blocksARead = blocksARead;
        this.visitor = visitor;
        this.position = runs.size();
    }

    boolean isUnderWay() {
        return position < runs.size();
    }

    /** What it looks for, or has looked for at last. */
    Set<Long> sought() {
        return sought;
    }

    /** Begins with the first entry of the first run. */
    void begin(Set<Long> hashes) {
        sought = new HashSet<>(hashes);
        filter = new BitSet(1 << FILTER_BITS);
        hashes.forEach(hash -> filter.set(filterBit(hash)));
        position = 0;
        ordinal = 0;
        entry = null;
    }

    /**
     * Goes on.
     *
     * @param budget how many entries to look at
     * @return how many were
     */
    int work(int budget) {
        int looked = 0;
        while (looked < budget && isUnderWay()) {
            Run run = runs.get(position);
            RunEntry at = entry;
            if (at == null) {
                at = new RunEntry(run.file(), blocksARead);
                entry = at;
            }
            int end = (int) Math.min(run.count(), (long) ordinal + budget - looked);
            looked += end - ordinal;
            look(run, at, end);
            if (ordinal == run.count()) {
                position++;
                ordinal = 0;
                entry = null;
            }
        }
        return looked;
    }

    private void look(Run run, RunEntry at, int end) {
        while (ordinal < end) {
            long hash = at.moveTo(ordinal).hash();
            if (filter.get(filterBit(hash)) && sought.contains(hash)) {
                visitor.visit(run, ordinal, at);
            }
            ordinal++;
        }
    }

    private static int filterBit(long hash) {
        return (int) (hash >>> (Long.SIZE - FILTER_BITS));
    }
}
