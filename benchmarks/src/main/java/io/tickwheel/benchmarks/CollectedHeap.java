package io.tickwheel.benchmarks;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/** How much heap was in use after each collection. A collection of the young leaves what is dead among the old in it. */
final class CollectedHeap {

    private final AtomicLong mostBytes = new AtomicLong();
    private final AtomicLong collections = new AtomicLong();

    /** Watches all collections from now on. */
    static CollectedHeap watch() {
        CollectedHeap heap = new CollectedHeap();
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            ((NotificationEmitter) collector)
                    .addNotificationListener((notification, handback) -> heap.collected(notification), null, null);
        }
        return heap;
    }

    /** The most that was in use after any collection since this was last asked. */
    long takeMostBytes() {
        return mostBytes.getAndSet(0);
    }

    long collections() {
        return collections.get();
    }

    /** What is in use after a full collection. */
    static long liveBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private void collected(Notification notification) {
        if (notification.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
            Map<String, MemoryUsage> after = GarbageCollectionNotificationInfo.from(
                            (CompositeData) notification.getUserData())
                    .getGcInfo()
                    .getMemoryUsageAfterGc();
            // What is neither eden, survivor nor old is not heap.
            long used = after.entrySet().stream()
                    .filter(pool -> pool.getKey().matches(".*(Eden|Survivor|Old|Tenured).*"))
                    .mapToLong(pool -> pool.getValue().getUsed())
                    .sum();
            mostBytes.accumulateAndGet(used, Math::max);
            collections.incrementAndGet();
        }
    }
}
