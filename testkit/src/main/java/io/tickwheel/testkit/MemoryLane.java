package io.tickwheel.testkit;

import io.tickwheel.store.Lane;
import io.tickwheel.store.LoadRoom;
import java.util.Comparator;
import java.util.TreeSet;

/** The timers of a {@link MemoryCalendar} with one queue and route. */
final class MemoryLane {

    /** By the time of the attempt, then by age. */
    static final Comparator<MemoryTimer> ORDER =
            Comparator.comparingLong(MemoryTimer::attemptAtMs).thenComparingLong(timer -> timer.id);

    final Lane lane;
    final LoadRoom.Share share = new LoadRoom.Share();

    /** Pending and not loaded. */
    final TreeSet<MemoryTimer> waiting = new TreeSet<>(ORDER);

    MemoryLane(Lane lane) {
        this.lane = lane;
    }
}
