package io.tickwheel.store.file.recovery;

import io.tickwheel.store.file.run.RunEntry;
import io.tickwheel.store.file.run.RunFilter;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.Run;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks for the slots and entries of many keys at once: by a look at the hashes of all of the memtable, and of those runs whose filters say that they may have
 * one of them. Owned by the loop.
 */
final class KeySearch {

    private final Memtable memtable;
    private final int slots;
    private final List<Run> runs;
    private final int blocksARead;
    private final IntConsumer slotVisitor;
    private final EntryVisitor visitor;
    private Sought sought = new Sought(Set.of());

    /** In their unsigned order, so that a block of a filter is read once. */
    private List<Long> inOrder = List.of();

    /** Which slot is next; behind the last one when it is not under way, or at the runs. */
    private int slot;

    /** At which run it is; behind the last one when it is not under way. */
    private int position;

    /** Of that run, and which hash is to be asked for next; null before the first one. */
    private @Nullable RunFilter filter;

    private int asked;

    /** Those that the run may have. */
    private final Set<Long> possible = new HashSet<>();

    /** As far as they are sought in the entries of the run; null before these. */
    private @Nullable Sought here;

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
        return sought.hashes;
    }

    /** Begins with the first slot. */
    void begin(Set<Long> hashes) {
        sought = new Sought(new HashSet<>(hashes));
        inOrder = new ArrayList<>(hashes);
        inOrder.sort(Long::compareUnsigned);
        slot = 0;
        position = -1;
        nextRun();
    }

    /**
     * Goes on.
     *
     * @param budget how many slots and entries to look at
     * @return how many were, and for each block of a filter as many as are in a block
     */
    int work(int budget) {
        int looked = Math.min(budget, slots - slot);
        lookAtSlots(slot + looked);
        while (looked < budget && position < runs.size()) {
            Run run = runs.get(position);
            Sought those = here;
            looked += those == null ? ask(run, budget - looked) : look(run, those, budget - looked);
        }
        return looked;
    }

    private void lookAtSlots(int end) {
        while (slot < end) {
            if (sought.has(memtable.hash(slot))) {
                slotVisitor.accept(slot);
            }
            slot++;
        }
    }

    /** Asks the filter of the run for more of the hashes; returns what it cost. */
    private int ask(Run run, int budget) {
        RunFilter asking = filter;
        if (asking == null) {
            asking = new RunFilter(run.file());
            filter = asking;
        }
        int cost = 0;
        while (asked < inOrder.size() && cost < budget) {
            long hash = inOrder.get(asked++);
            int reads = asking.reads();
            if (asking.mayHave(hash)) {
                possible.add(hash);
            }
            cost += 1 + (asking.reads() - reads) * run.entries().perBlock();
        }
        if (asked == inOrder.size()) {
            if (possible.isEmpty()) {
                nextRun();
            } else {
                here = new Sought(possible);
            }
        }
        return cost;
    }

    /** Looks at more entries of the run; returns at how many. */
    private int look(Run run, Sought those, int budget) {
        RunEntry at = entry;
        if (at == null) {
            at = new RunEntry(run.file(), blocksARead);
            entry = at;
        }
        int first = ordinal;
        int end = (int) Math.min(run.count(), (long) first + budget);
        ordinal = at.seek(first, end, those::has);
        while (ordinal < end) {
            visitor.visit(run, ordinal, at);
            ordinal = at.seek(ordinal + 1, end, those::has);
        }
        if (ordinal == run.count()) {
            nextRun();
        }
        return end - first;
    }

    private void nextRun() {
        position++;
        filter = null;
        asked = 0;
        possible.clear();
        here = null;
        ordinal = 0;
        entry = null;
    }
}
