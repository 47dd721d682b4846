package io.tickwheel.store.file.table;

import io.tickwheel.store.Lane;
import io.tickwheel.store.QueueCounts;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The queues that are known, with their counts and their lanes, and a number for each of both, for where names would be too long. A
 * queue is known for as long as one of its timers is, and its lanes for as long as it is. Owned by the loop; O(1) but for the list.
 */
public final class QueueTable {

    private final Map<String, Queue> byName = new HashMap<>();
    private final Map<Lane, StoreLane> lanes = new HashMap<>();
    private final Numbered<Queue> queuesByNumber = new Numbered<>();
    private final Numbered<StoreLane> lanesByNumber = new Numbered<>();
    private long live;
    private long dead;
    private boolean complete;

    /** A queue and how many of its timers are in the {@code KeyIndex}, or remembered. */
    public static final class Queue {

        public final String name;
        public final byte[] utf8;
        public final int number;
        private final List<StoreLane> lanes = new ArrayList<>(1);

        /** The one that was asked for last; null while there is none. */
        private @Nullable StoreLane lastLane;

        private long live;
        private long claimed;
        private long dead;
        private long finished;

        Queue(String name, int number) {
            this.name = name;
            this.number = number;
            this.utf8 = name.getBytes(StandardCharsets.UTF_8);
        }

        public QueueCounts counts() {
            return new QueueCounts(name, live - claimed, claimed, dead);
        }

        /** Its lanes that are known: those of all timers that have not ended are. */
        public List<StoreLane> lanes() {
            return lanes;
        }

        public long live() {
            return live;
        }

        public long dead() {
            return dead;
        }

        public long claimed() {
            return claimed;
        }
    }

    /** Those of one kind by number, also the last that had a number which is free. */
    private static final class Numbered<T> {

        private final List<T> all = new ArrayList<>();
        private final ArrayDeque<Integer> free = new ArrayDeque<>();

        int next() {
            Integer again = free.poll();
            return again == null ? all.size() : again;
        }

        void put(int number, T one) {
            if (number == all.size()) {
                all.add(one);
            } else {
                all.set(number, one);
            }
        }
    }

    /** The queue of that name, which is made known. */
    public Queue get(String name) {
        Queue queue = byName.get(name);
        if (queue == null) {
            queue = new Queue(name, queuesByNumber.next());
            queuesByNumber.put(queue.number, queue);
            byName.put(name, queue);
        }
        return queue;
    }

    /** The lane of a queue that is known, which is made known. */
    public StoreLane get(Queue queue, long route) {
        StoreLane last = queue.lastLane;
        if (last != null && last.lane.route() == route) {
            return last;
        }
        StoreLane found = get(new Lane(queue.name, route));
        queue.lastLane = found;
        return found;
    }

    /** The lane as the store knows it, which is made known. */
    public StoreLane get(Lane lane) {
        StoreLane known = lanes.get(lane);
        return known != null ? known : make(lane);
    }

    private StoreLane make(Lane lane) {
        Queue queue = get(lane.queue());
        StoreLane made = new StoreLane(lane, queue, lanesByNumber.next());
        lanesByNumber.put(made.number, made);
        queue.lanes.add(made);
        lanes.put(lane, made);
        return made;
    }

    /** The lane, or null when it is not known. */
    public @Nullable StoreLane find(Lane lane) {
        return lanes.get(lane);
    }

    /** The queue of that name, or null when it is not known. */
    public @Nullable Queue find(String name) {
        return byName.get(name);
    }

    /** The lanes by number; of those that were forgotten, the last that had it. */
    public List<Lane> laneNames() {
        List<Lane> names = new ArrayList<>(lanesByNumber.all.size());
        lanesByNumber.all.forEach(lane -> names.add(lane.lane));
        return names;
    }

    public StoreLane lane(int number) {
        return lanesByNumber.all.get(number);
    }

    public Queue queue(int number) {
        return queuesByNumber.all.get(number);
    }

    /** Counts a timer, live or dead, that is in the index now, or no longer with {@code change} -1. */
    public void count(Queue queue, boolean dead, int change) {
        if (dead) {
            queue.dead += change;
            this.dead += change;
        } else {
            queue.live += change;
            live += change;
        }
        forgetWhenEmpty(queue);
    }

    public void countAll(Queue queue, long liveOnes, long deadOnes) {
        queue.live += liveOnes;
        queue.dead += deadOnes;
        live += liveOnes;
        dead += deadOnes;
    }

    public void countClaimed(Queue queue, int change) {
        queue.claimed += change;
        forgetWhenEmpty(queue);
    }

    public void countFinished(Queue queue, int change) {
        queue.finished += change;
        forgetWhenEmpty(queue);
    }

    private void forgetWhenEmpty(Queue queue) {
        if (complete && queue.live == 0 && queue.claimed == 0 && queue.dead == 0 && queue.finished == 0) {
            byName.remove(queue.name);
            queuesByNumber.free.add(queue.number);
            for (StoreLane lane : queue.lanes) {
                lane.forget();
                lanes.remove(lane.lane);
                lanesByNumber.free.add(lane.number);
            }
            queue.lanes.clear();
            queue.lastLane = null;
        }
    }

    /** Whether every timer there is has been counted. */
    public boolean isComplete() {
        return complete;
    }

    /** Takes note that every timer there is has been counted: from now on queues are forgotten. */
    public void completed() {
        complete = true;
        List.copyOf(byName.values()).forEach(this::forgetWhenEmpty);
    }

    public long live() {
        return live;
    }

    public long dead() {
        return dead;
    }

    /** In the order of their names; O(n log n). */
    public List<QueueCounts> counts() {
        List<QueueCounts> counts = new ArrayList<>(byName.size());
        byName.values().stream()
                .filter(queue -> queue.live + queue.claimed + queue.dead + queue.finished > 0)
                .sorted((a, b) -> a.name.compareTo(b.name))
                .forEach(queue -> counts.add(queue.counts()));
        return counts;
    }

    public Iterable<Queue> all() {
        return byName.values();
    }
}
