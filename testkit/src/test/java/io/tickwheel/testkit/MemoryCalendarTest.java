package io.tickwheel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.testkit.CalendarContract;
import java.util.ArrayDeque;
import java.util.SplittableRandom;

class MemoryCalendarTest extends CalendarContract {

    private final MemoryTimerStore store = new MemoryTimerStore();
    private final SplittableRandom random = new SplittableRandom(1);
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    @Override
    protected Calendar open(CalendarListener listener) {
        return store.open(
                new StoreContext(tasks::addLast, tasks::addLast, () -> {}, random::nextLong, () -> 0L, nanos -> {}),
                listener);
    }

    @Override
    protected void runBackground() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Override
    protected void kill(Calendar calendar) {
        tasks.clear();
        store.crash();
    }

    @Override
    protected void checkClosed() {
        assertThat(tasks).isEmpty();
    }
}
