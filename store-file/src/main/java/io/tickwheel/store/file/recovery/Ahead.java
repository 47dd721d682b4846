package io.tickwheel.store.file.recovery;

import io.tickwheel.store.file.run.RunEntry;
import io.tickwheel.store.file.run.RunFormat;
import io.tickwheel.store.file.table.Memtable;
import io.tickwheel.store.file.table.QueueTable;
import io.tickwheel.store.file.table.Run;
import io.tickwheel.store.file.table.StoreLane;
import io.tickwheel.store.file.timers.PendingEnds;
import io.tickwheel.store.file.timers.TimerTables;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Brings timers into the key index ahead of the rest that commands ask for while it is being filled, so that they need not wait for all. There are two ways:
 *
 * <pre>
 *   queue of few timers     along the slots and entries of its lanes              -> each key of the queue is known
 *   key of another queue    a search: the hashes of all slots and entries, for    -> the key is known
 *                           many keys at once, by turns with the filling
 * </pre>
 *
 * <p>A key is known when every entry that may be of it was visited. What the index says of it is true then, and there may only be something to be
 * remembered of it that is not yet: see {@link EndsInOrder#isOpen}.
 *
 * <p>To be used when the slots of the memtable were visited, and what has ended is noted; they need not be in the index yet. Owned by the loop.
 */
final class Ahead {

    /** A queue of few timers has no more in the memtable, and in the runs, than so many times the timers of a turn. */
    private static final int TURNS = 2;

    /** So many entries are searched at the cost of one that is visited. */
    private static final int SEARCHED_AN_ENTRY = 4;

    private final TimerTables tables;
    private final EndsInOrder ends;
    private final Memtable recovered;
    private final List<Run> runs;

    /** By queue: of as many runs as were gone through, and of as many names of the next one. */
    private final Map<String, List<QueueWalk.Part>> lanes = new HashMap<>();

    private int runsNamed;
    private int names;
    private final long few;

    private final Set<String> knownQueues = new HashSet<>();
    private final Set<String> largeQueues = new HashSet<>();
    private final Set<Long> knownHashes = new HashSet<>();

    /** By queue the hashes of those of its keys that are asked for. */
    private final Map<String, Set<Long>> wanted = new HashMap<>();

    /** Of keys of large queues. */
    private final Set<Long> wantedHashes = new HashSet<>();

    private @Nullable QueueWalk walk;
    private final KeySearch search;
    private long changes;

    /** @param turnTimers how many timers to look at in a turn, about */
    Ahead(TimerTables tables, EndsInOrder ends, int turnTimers, int blocksARead) {
        this.tables = tables;
        this.ends = ends;
        this.recovered = tables.active();
        this.runs = new ArrayList<>(tables.runs());
        this.few = (long) TURNS * turnTimers;
        this.search = new KeySearch(recovered, runs, blocksARead, this::visitSlot, this::visit);
    }

    /** Whether all that can be said of a key is said by the index, and by what is remembered. */
    boolean isKnown(String queue, long hash) {
        return (knownQueues.contains(queue) || knownHashes.contains(hash)) && !ends.isOpen(hash);
    }

    /** Whether all timers of a queue that stand in tables are known. */
    boolean isKnown(String queue) {
        return knownQueues.contains(queue);
    }

    /** Rises when more is known. */
    long changes() {
        return changes;
    }

    /** Asks for a queue, when it has few timers. */
    void want(String queue) {
        if (!knownQueues.contains(queue) && !largeQueues.contains(queue)) {
            wanted.computeIfAbsent(queue, name -> new HashSet<>());
        }
    }

    /** Asks for a key. */
    void want(String queue, long hash) {
        if (knownQueues.contains(queue) || knownHashes.contains(hash)) {
            return;
        }
        if (largeQueues.contains(queue)) {
            wantedHashes.add(hash);
        } else {
            wanted.computeIfAbsent(queue, name -> new HashSet<>()).add(hash);
        }
    }

    /** Whether there is something to be done at once: a queue that was not looked at yet, or a search that has begun. */
    boolean isUnderWay() {
        return isOnQueues() || search.isUnderWay();
    }

    /** Whether keys are asked for that only a search can find. */
    boolean wantsToSearch() {
        return !wantedHashes.isEmpty();
    }

    /** Begins to search for all keys that are asked for. */
    void beginToSearch() {
        search.begin(wantedHashes);
        wantedHashes.clear();
    }

    /**
     * Goes on with what is under way.
     *
     * @param budget how many timers to visit, about
     * @return what it cost, at least 1
     */
    int work(int budget) {
        if (!isOnQueues()) {
            return 1 + search(budget);
        }
        int used = 0;
        do {
            used += runsNamed < runs.size() ? name(budget - used) : workOnQueue(budget - used);
        } while (isOnQueues() && used < budget);
        return used;
    }

    private boolean isOnQueues() {
        return walk != null || !wanted.isEmpty();
    }

    private int workOnQueue(int budget) {
        QueueWalk walking = walk;
        if (walking == null) {
            Iterator<Map.Entry<String, Set<Long>>> first = wanted.entrySet().iterator();
            Map.Entry<String, Set<Long>> queue = first.next();
            first.remove();
            return 1 + begin(queue.getKey(), queue.getValue());
        }
        int used = walking.work(budget);
        if (walking.isAtEnd()) {
            know(walking.queue);
            walk = null;
        }
        return used;
    }

    private int search(int budget) {
        int looked = search.work((int) Math.min(Integer.MAX_VALUE, (long) SEARCHED_AN_ENTRY * budget));
        if (!search.isUnderWay()) {
            knownHashes.addAll(search.sought());
            changes++;
        }
        return looked / SEARCHED_AN_ENTRY;
    }

    /** Goes through the names of a run; returns what it cost. */
    private int name(int budget) {
        Run run = runs.get(runsNamed);
        List<RunFormat.LaneName> all = run.names();
        int first = names;
        while (names < all.size() && names - first < budget) {
            lanes.computeIfAbsent(all.get(names).lane().queue(), queue -> new ArrayList<>(1))
                    .add(new QueueWalk.Part(run, names));
            names++;
        }
        int named = names - first;
        if (names == all.size()) {
            names = 0;
            runsNamed++;
        }
        return 1 + named;
    }

    /** Begins to visit all of a queue, when that is few: its slots at once. Returns how many these were. */
    private int begin(String queue, Set<Long> hashes) {
        if (knownQueues.contains(queue)) {
            return 0;
        }
        List<Integer> slots = slots(queue);
        List<QueueWalk.Part> parts = lanes.getOrDefault(queue, List.of());
        long timers = 0;
        boolean areLinked = true;
        for (QueueWalk.Part part : parts) {
            timers += part.name().timers();
            areLinked &= part.run().entries().areLinked();
        }
        if (timers > few || slots.size() > few || !areLinked) {
            largeQueues.add(queue);
            wantedHashes.addAll(hashes);
            return slots.size();
        }
        slots.forEach(this::visitSlot);
        if (parts.isEmpty()) {
            know(queue);
        } else {
            walk = new QueueWalk(queue, parts, this::visit);
        }
        return slots.size();
    }

    /** The slots of a queue, of which some may have ended; no more than it takes to see that they are not few. */
    private List<Integer> slots(String queue) {
        List<Integer> slots = new ArrayList<>();
        QueueTable.Queue known = tables.queues.find(queue);
        if (known != null) {
            for (StoreLane lane : known.lanes()) {
                int ordinal = recovered.lastOf(lane);
                while (ordinal >= 0 && slots.size() <= few) {
                    slots.add(ordinal);
                    ordinal = recovered.before(ordinal);
                }
            }
        }
        return slots;
    }

    private void know(String queue) {
        knownQueues.add(queue);
        changes++;
    }

    /** What the log says of the end of a slot is noted already. */
    private void visitSlot(int ordinal) {
        long hash = recovered.hash(ordinal);
        if (!recovered.isEnded(ordinal) && !tables.index.contains(hash, recovered.number(), ordinal)) {
            tables.enter(hash, recovered, ordinal, recovered.lane(ordinal).queue, recovered.isDead(ordinal));
        }
    }

    private void visit(Run run, int ordinal, RunEntry entry) {
        if (run.isEnded(ordinal)) {
            return;
        }
        PendingEnds.End end = ends.of(entry.seq());
        if (end != null) {
            ends.end(run, ordinal, end, () -> run.record(ordinal, false));
        } else if (!tables.index.contains(entry.hash(), run.number(), ordinal)) {
            tables.enter(entry.hash(), run, ordinal, run.laneAt(entry.lanePosition()).queue, run.isDead());
        }
    }
}
