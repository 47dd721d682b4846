package io.tickwheel.benchmarks;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Tickwheel;
import io.tickwheel.engine.TimerHandler;
import org.HdrHistogram.Histogram;

/** How late {@link FreshTimers} come: those of the first seconds, and those after. */
final class FreshArrivals implements TimerHandler {

    private static final int COLD_SECONDS = 5;
    private static final long STALL_MS = 120_000;

    private final int perSecond;
    private final int seconds;
    private final HandledTimers cold;
    private final HandledTimers warm;

    /** @param seconds for how long after the first seconds */
    FreshArrivals(int perSecond, int seconds) {
        this.perSecond = perSecond;
        this.seconds = seconds;
        long most = (long) perSecond * (seconds + COLD_SECONDS) * 2;
        cold = new HandledTimers(Clock.system(), most);
        warm = new HandledTimers(Clock.system(), most);
    }

    @Override
    public void handle(Attempt attempt) {
        boolean early = TimerPlan.number(attempt.payload()) < (long) perSecond * COLD_SECONDS;
        (early ? cold : warm).handle(attempt);
    }

    /** Schedules them, and waits until all have come. */
    void watch(Tickwheel engine) throws Exception {
        FreshTimers fresh = new FreshTimers(engine, perSecond);
        fresh.start();
        Thread.sleep((COLD_SECONDS + seconds) * 1_000L);
        int count = fresh.stop();
        warm.await(count - (long) perSecond * COLD_SECONDS, STALL_MS);
        print("fresh, first " + COLD_SECONDS + " s", cold.lateMicros());
        print("fresh, after", warm.lateMicros());
    }

    private static void print(String name, Histogram micros) {
        ChildFigures.print(name + ", p50 ms", micros.getValueAtPercentile(50) / 1e3);
        ChildFigures.print(name + ", p99 ms", micros.getValueAtPercentile(99) / 1e3);
        ChildFigures.print(name + ", longest ms", micros.getMaxValue() / 1e3);
    }
}
