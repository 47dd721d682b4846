package io.tickwheel.store.file;

import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Every timer there is, by key: the live and the dead ones, and the last finished ones. Owned by the shard loop. A key has one
 * timer at most. O(1) but for the list of queues.
 */
final class TimerTable {

    private final Map<TimerKey, StoredTimer> byKey = new HashMap<>();
    private final TreeMap<String, Queue> queues = new TreeMap<>();
    private final TimerList kept = new TimerList();
    private final TimerList finished = new TimerList();
    private final int finishedRemembered;
    private long live;

    /** Where a snapshot stands in {@code kept}; moves on when its timer leaves. */
    private @Nullable TimerLink cursor;

    TimerTable(int finishedRemembered) {
        this.finishedRemembered = finishedRemembered;
    }

    private static final class Queue {
        final String name;
        long pending;
        long claimed;
        long dead;
        long timers;

        Queue(String name) {
            this.name = name;
        }
    }

    /** The same key, with the one copy of the queue's name that all its timers share. */
    TimerKey shared(TimerKey key) {
        Queue queue = queues.get(key.queue());
        return queue == null ? key : new TimerKey(queue.name, key.key());
    }

    @Nullable
    StoredTimer get(TimerKey key) {
        return byKey.get(key);
    }

    long liveCount() {
        return live;
    }

    /** Puts a timer under its key, in place of any that is there. */
    void put(StoredTimer timer) {
        StoredTimer old = byKey.put(timer.key, timer);
        if (old != null) {
            forget(old);
        }
        count(timer, 1);
        queue(timer.key).timers++;
        listOf(timer.state).addLast(timer.inTable);
        trimFinished();
    }

    /** Changes the state of a timer that is in the table. */
    void setState(StoredTimer timer, TimerState state) {
        assert byKey.get(timer.key) == timer;
        count(timer, -1);
        TimerList from = listOf(timer.state);
        timer.state = state;
        TimerList to = listOf(state);
        if (from != to) {
            unlink(timer);
            to.addLast(timer.inTable);
        }
        count(timer, 1);
        trimFinished();
    }

    List<QueueCounts> queues() {
        List<QueueCounts> counts = new ArrayList<>(queues.size());
        queues.forEach((name, queue) -> counts.add(new QueueCounts(name, queue.pending, queue.claimed, queue.dead)));
        return counts;
    }

    /** Starts a walk over the timers that are kept; see {@link #next}. */
    void startWalk() {
        cursor = kept.first();
    }

    /** The next timer of the walk, or null at the end. What is changed or added meanwhile may or may not be met. */
    @Nullable
    StoredTimer next() {
        TimerLink at = cursor;
        if (at == null) {
            return null;
        }
        cursor = at.next;
        return at.timer;
    }

    /** The finished timers that are remembered, the oldest first. */
    List<StoredTimer> finished() {
        List<StoredTimer> timers = new ArrayList<>(finished.size());
        for (TimerLink link = finished.first(); link != null; link = link.next) {
            timers.add(link.timer);
        }
        return timers;
    }

    private void trimFinished() {
        while (finished.size() > finishedRemembered) {
            TimerLink oldest = finished.first();
            assert oldest != null;
            byKey.remove(oldest.timer.key);
            forget(oldest.timer);
        }
    }

    private void forget(StoredTimer timer) {
        count(timer, -1);
        unlink(timer);
        Queue queue = queue(timer.key);
        queue.timers--;
        if (queue.timers == 0) {
            queues.remove(timer.key.queue());
        }
    }

    private void unlink(StoredTimer timer) {
        TimerLink link = timer.inTable;
        if (link == cursor) {
            cursor = link.next;
        }
        TimerList list = link.list;
        assert list != null;
        list.remove(link);
    }

    private TimerList listOf(TimerState state) {
        return state.isFinished() && state != TimerState.DEAD ? finished : kept;
    }

    private Queue queue(TimerKey key) {
        return queues.computeIfAbsent(key.queue(), Queue::new);
    }

    private void count(StoredTimer timer, int change) {
        Queue queue = queue(timer.key);
        switch (timer.state) {
            case PENDING -> queue.pending += change;
            case CLAIMED -> queue.claimed += change;
            case DEAD -> queue.dead += change;
            case COMPLETED, CANCELLED, EXPIRED -> {
                return;
            }
        }
        if (timer.state != TimerState.DEAD) {
            live += change;
        }
    }
}
