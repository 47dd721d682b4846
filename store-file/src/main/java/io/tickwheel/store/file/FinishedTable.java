package io.tickwheel.store.file;

import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerState;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last timers that were completed, cancelled or expired, by key and by the order in which they were. Owned by the loop;
 * O(1).
 */
final class FinishedTable {

    private final QueueTable queues;
    private final int remembered;
    private final Map<TimerKey, Finished> byKey = new HashMap<>();

    /** By the number of its order, modulo the length; grows up to what is remembered. */
    private @Nullable Finished[] ring;

    private long firstOrder;
    private long nextOrder;

    /** What is remembered of a timer. */
    record Finished(
            TimerKey key,
            long order,
            long id,
            long version,
            long dueAtMs,
            long attemptAtMs,
            TimerState state,
            int attempts,
            long requestHash) {}

    FinishedTable(QueueTable queues, int remembered) {
        this.queues = queues;
        this.remembered = remembered;
        this.ring = new Finished[Math.min(remembered, 64)];
    }

    @Nullable
    Finished get(TimerKey key) {
        return byKey.isEmpty() ? null : byKey.get(key);
    }

    int size() {
        return byKey.size();
    }

    /** The order of the next one; all there are have a lower one, from {@link #firstOrder} on. */
    long nextOrder() {
        return nextOrder;
    }

    long firstOrder() {
        return firstOrder;
    }

    /** The one of that order, or null when it is forgotten. */
    @Nullable
    Finished at(long order) {
        return order < firstOrder || order >= nextOrder ? null : ring[(int) (order % ring.length)];
    }

    void add(TimerKey key, TimerRecord record, TimerState state, int attempts) {
        add(
                key,
                record.id(),
                record.version(),
                record.dueAtMs(),
                record.attemptAtMs(),
                state,
                attempts,
                record.requestHash());
    }

    /** Remembers a timer as the last one, and forgets the first one when there are too many. */
    void add(
            TimerKey key,
            long id,
            long version,
            long dueAtMs,
            long attemptAtMs,
            TimerState state,
            int attempts,
            long requestHash) {
        if (remembered == 0) {
            return;
        }
        queues.countFinished(queues.get(key.queue()), 1);
        remove(key);
        makeRoom();
        Finished finished =
                new Finished(key, nextOrder, id, version, dueAtMs, attemptAtMs, state, attempts, requestHash);
        ring[(int) (nextOrder % ring.length)] = finished;
        nextOrder++;
        byKey.put(key, finished);
    }

    private void makeRoom() {
        if (nextOrder - firstOrder < ring.length) {
            return;
        }
        if (ring.length < remembered) {
            grow();
            return;
        }
        Finished oldest = ring[(int) (firstOrder % ring.length)];
        firstOrder++;
        if (oldest != null) {
            byKey.remove(oldest.key);
            queues.countFinished(queues.get(oldest.key.queue()), -1);
        }
    }

    private void grow() {
        @Nullable Finished[] larger = new Finished[(int) Math.min(2L * ring.length, remembered)];
        for (long order = firstOrder; order < nextOrder; order++) {
            larger[(int) (order % larger.length)] = ring[(int) (order % ring.length)];
        }
        ring = larger;
    }

    /** Forgets a key that has a new timer. */
    void remove(TimerKey key) {
        if (byKey.isEmpty()) {
            return;
        }
        Finished removed = byKey.remove(key);
        if (removed != null) {
            ring[(int) (removed.order % ring.length)] = null;
            queues.countFinished(queues.get(key.queue()), -1);
        }
    }
}
