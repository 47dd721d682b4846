package io.tickwheel.wheel;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Tag;

/** The contract is what this class does: it is tested here, not the class. */
@Tag("races")
class ScheduledThreadPoolExecutorContractTest extends ScheduledExecutorContract {
    @Override
    ScheduledExecutorService make(int threads, ThreadFactory factory) {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(threads, factory);
        executor.setRemoveOnCancelPolicy(true);
        return executor;
    }

    @Override
    void runDelayedAfterShutdown(ScheduledExecutorService executor, boolean value) {
        ((ScheduledThreadPoolExecutor) executor).setExecuteExistingDelayedTasksAfterShutdownPolicy(value);
    }

    @Override
    void runPeriodicAfterShutdown(ScheduledExecutorService executor, boolean value) {
        ((ScheduledThreadPoolExecutor) executor).setContinueExistingPeriodicTasksAfterShutdownPolicy(value);
    }
}
