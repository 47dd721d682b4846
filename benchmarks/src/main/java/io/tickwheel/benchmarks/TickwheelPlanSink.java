package io.tickwheel.benchmarks;

import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerRequest;
import java.time.Instant;

/** The embedded API. The engine is not closed with it. */
final class TickwheelPlanSink implements PlanSink {

    static final String QUEUE = "bench";

    private static final int TOLD = 1_000;

    private final Tickwheel timers;
    private final int window;

    /** Has {@code window} timers at most unanswered for each producer. */
    TickwheelPlanSink(Tickwheel timers, int window) {
        this.timers = timers;
        this.window = window;
    }

    @Override
    public void fill(TimerPlan plan, long first, int step, long end, Progress progress) {
        Outstanding outstanding = new Outstanding(window);
        int untold = 0;
        for (long number = first; number < end; number += step) {
            outstanding.add(timers.schedule(request(plan, number)));
            if (++untold == TOLD) {
                progress.scheduled(untold);
                untold = 0;
            }
        }
        outstanding.join();
        progress.scheduled(untold);
    }

    static TimerRequest request(TimerPlan plan, long number) {
        return TimerRequest.at(QUEUE, plan.key(number), Instant.ofEpochMilli(plan.dueAtMs(number)))
                .withPayload(TimerPlan.payload(number));
    }

    @Override
    public void close() {}
}
