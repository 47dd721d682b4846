package io.tickwheel.wheel;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Tag;

@Tag("races")
class WheelScheduledExecutorContractTest extends ScheduledExecutorContract {
    @Override
    ScheduledExecutorService make(int threads, ThreadFactory factory) {
        return new WheelScheduledExecutor(threads, factory);
    }

    @Override
    void runDelayedAfterShutdown(ScheduledExecutorService executor, boolean value) {
        ((WheelScheduledExecutor) executor).setExecuteExistingDelayedTasksAfterShutdownPolicy(value);
    }

    @Override
    void runPeriodicAfterShutdown(ScheduledExecutorService executor, boolean value) {
        ((WheelScheduledExecutor) executor).setContinueExistingPeriodicTasksAfterShutdownPolicy(value);
    }
}
