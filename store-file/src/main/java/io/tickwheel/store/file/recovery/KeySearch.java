package io.tickwheel.store.file.recovery;

import io.tickwheel.store.file.run.RunEntry;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.Run;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Looks for the slots and entries of many keys at once, by a look at the hashes of all of the memtable and the runs. Owned by the loop. */
final class KeySearch {

    private static final int FILTER_BITS = 16;

    private final Memtable memtable;
    private final int slots;
    private final List<Run> runs;
    private final int blocksARead;
    private final IntConsumer slotVisitor;
    private final EntryVisitor visitor;
    private Set<Long> sought = Set.of();

    /** The first bits of the hashes, for those that are none of them. */
    private BitSet filter = new BitSet();

    /** Which slot is next; behind the last one when it is not under way, or at the runs. */
    private int slot;

    /** At which run it is; behind the last one when it is not under way. */
    private int position;

    private int ordinal;
    private @Nullable RunEntry entry;

    /** @param memtable of which those slots are looked at that it has now: who adds others brings them into the index */
    KeySearch(Memtable memtable, List<Run> runs, int blocksARead, IntConsumer slotVisitor, EntryVisitor visitor) {
        this.memtable = memtable;
        this.slots = memtable.size();
        this.runs = runs;
        this.blocksARead = blocksARead;
        this.slotVisitor = slotVisitor;
        this.visitor = visitor;
        this.slot = slots;
        this.position = runs.size();
    }

    boolean isUnderWay() {
        return slot < slots || position < runs.size();
    }

    /** What it looks for, or has looked for at last. */
    Set<Long> sought() {
        return sought;
    }

    /** Begins with the first slot. */
    void begin(Set<Long> hashes) {
        sought = new HashSet<>(hashes);
        filter = new BitSet(1 << FILTER_BITS);
        hashes.forEach(hash -> filter.set(filterBit(hash)));
        slot = 0;
        position = 0;
        ordinal = 0;
        entry = null;
    }

    /**
     * Goes on.
     *
     * @param budget how many slots and entries to look at
     * @return how many were
     */
    int work(int budget) {
        int looked = Math.min(budget, slots - slot);
        lookAtSlots(slot + looked);
        while (looked < budget && position < runs.size()) {
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

    private void lookAtSlots(int end) {
        while (slot < end) {
            if (isSought(memtable.hash(slot))) {
                slotVisitor.accept(slot);
            }
            slot++;
        }
    }

    private void look(Run run, RunEntry at, int end) {
        ordinal = at.seek(ordinal, end, this::isSought);
        while (ordinal < end) {
            visitor.visit(run, ordinal, at);
            ordinal = at.seek(ordinal + 1, end, this::isSought);
        }
    }

    private boolean isSought(long hash) {
        return filter.get(filterBit(hash)) && sought.contains(hash);
    }

    private static int filterBit(long hash) {
        return (int) (hash >>> (Long.SIZE - FILTER_BITS));
    }
}
