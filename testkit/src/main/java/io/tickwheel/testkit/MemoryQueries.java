package io.tickwheel.testkit;

import io.tickwheel.store.DueCountQuery;
import io.tickwheel.store.DueCounts;
import io.tickwheel.store.QueueCounts;
import io.tickwheel.store.TimerCursor;
import io.tickwheel.store.TimerKey;
import io.tickwheel.store.TimerPage;
import io.tickwheel.store.TimerQuery;
import io.tickwheel.store.TimerState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Looks at all timers of a store in memory, each time. Used by the loop only. */
final class MemoryQueries {

    private final Map<TimerKey, MemoryTimer> timers;

    MemoryQueries(Map<TimerKey, MemoryTimer> timers) {
        this.timers = timers;
    }

    List<QueueCounts> queues() {
        TreeMap<String, List<MemoryTimer>> byQueue = new TreeMap<>();
        for (MemoryTimer timer : timers.values()) {
            byQueue.computeIfAbsent(timer.key.queue(), queue -> new ArrayList<>())
                    .add(timer);
        }
        List<QueueCounts> queues = new ArrayList<>();
        byQueue.forEach((queue, ofQueue) -> queues.add(new QueueCounts(
                queue,
                count(ofQueue, TimerState.PENDING),
                count(ofQueue, TimerState.CLAIMED),
                count(ofQueue, TimerState.DEAD))));
        return queues;
    }

    private static long count(List<MemoryTimer> timers, TimerState state) {
        return timers.stream()
                .filter(timer -> timer.state == state && !(state == TimerState.CLAIMED && timer.cancelled))
                .count();
    }

    TimerPage list(TimerQuery query) {
        List<MemoryTimer> found = timers.values().stream()
                .filter(timer -> timer.isListed(query))
                .sorted(MemoryLane.ORDER)
                .limit(query.limit() + 1L)
                .toList();
        List<MemoryTimer> shown = found.subList(0, Math.min(found.size(), query.limit()));
        TimerCursor next = null;
        if (shown.size() < found.size()) {
            MemoryTimer last = shown.get(shown.size() - 1);
            next = new TimerCursor(last.attemptAtMs, last.id);
        }
        return new TimerPage(shown.stream().map(MemoryTimer::view).toList(), next);
    }

    DueCounts countDue(DueCountQuery query) {
        long[] counts = new long[query.buckets()];
        for (MemoryTimer timer : timers.values()) {
            boolean asked = query.queue() == null || query.queue().equals(timer.key.queue());
            if (asked && timer.isLive() && timer.attemptAtMs >= query.fromMs() && timer.attemptAtMs < query.toMs()) {
                counts[(int) ((timer.attemptAtMs - query.fromMs()) / query.bucketMs())]++;
            }
        }
        List<Long> boxed = Arrays.stream(counts).boxed().toList();
        return new DueCounts(query.fromMs(), query.bucketMs(), boxed);
    }
}
