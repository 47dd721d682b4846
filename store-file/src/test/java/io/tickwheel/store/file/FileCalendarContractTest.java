package io.tickwheel.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.Calendar;
import io.tickwheel.store.CalendarListener;
import io.tickwheel.store.StoreContext;
import io.tickwheel.store.testkit.CalendarContract;
import io.tickwheel.store.testkit.CrashKind;
import io.tickwheel.store.testkit.SimulatedDisk;
import java.util.ArrayDeque;
import java.util.SplittableRandom;

class FileCalendarContractTest extends CalendarContract {

    private final SimulatedDisk disk = new SimulatedDisk(1);
    private final SplittableRandom random = new SplittableRandom(1);
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    @Override
    protected Calendar open(CalendarListener listener) {
        StoreContext context = new StoreContext(
                tasks::addLast, tasks::addLast, () -> {}, random::nextLong, PlainStore.clock(), nanos -> {});
        return FileTimerStore.in(disk.path("/data"))
                .withSegmentBytes(4_096)
                .withCheckpointBytes(4_096)
                .open(context, listener);
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
        disk.crash(CrashKind.POWER_LOSS);
    }

    @Override
    protected void checkClosed() {
        assertThat(disk.openChannels()).isEmpty();
    }
}
