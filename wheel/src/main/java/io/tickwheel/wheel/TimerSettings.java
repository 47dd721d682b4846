package io.tickwheel.wheel;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** What a timer was told when it was built; {@code WheelTimerBuilder} says what each value means. */
record TimerSettings(
        String name,
        NanoClock clock,
        long tickNanos,
        int stripes,
        @Nullable Executor executor,
        RejectionPolicy onRejection,
        WheelTimerListener listener,
        long slackNanos,
        int maxPending,
        long maxPendingWaitNanos,
        ExpiryDriver driver) {}
