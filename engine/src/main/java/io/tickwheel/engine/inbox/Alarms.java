package io.tickwheel.engine.inbox;

import io.tickwheel.engine.Clock;
import io.tickwheel.wheel.HierarchicalWheel;
import io.tickwheel.wheel.WheelNode;
import java.time.Duration;

/** Moments at which something is to be done, unless it is called off before: never early. They go by the clock that is never stepped. O(1). Owned by the loop. */
public final class Alarms {

    private static final long NANOS_A_MS = 1_000_000;
    private static final int RINGS_A_TURN = 4_096;

    private final Clock clock;
    private final long startNanos;
    private final HierarchicalWheel<Alarm> wheel = new HierarchicalWheel<>(0);

    /** Something that has a moment, or none. */
    public abstract static class Alarm extends WheelNode {

        /** Does what is to be done; the moment has passed, and it has none any more. */
        public abstract void ring();
    }

    public Alarms(Clock clock) {
        this.clock = clock;
        this.startNanos = clock.monoNanos();
    }

    /** Gives an alarm its moment, in place of the one that it may have. */
    public void set(Alarm alarm, Duration after) {
        long nanos = elapsedNanos() + after.toNanos();
        wheel.reschedule(alarm, (nanos + NANOS_A_MS - 1) / NANOS_A_MS);
    }

    public void callOff(Alarm alarm) {
        wheel.cancel(alarm);
    }

    /** Whether the moment of an alarm is still to come. */
    public boolean isAhead(Alarm alarm) {
        return alarm.isScheduled() && alarm.deadlineTick() > elapsedNanos() / NANOS_A_MS;
    }

    /** Has alarms ring whose moment has come; returns 0 when there was none. */
    public int work() {
        long tick = elapsedNanos() / NANOS_A_MS;
        int rung = wheel.advance(tick, RINGS_A_TURN, Alarm::ring);
        return rung == 0 && wheel.hasDue(tick) ? 1 : rung;
    }

    /** In how many nanoseconds the next one rings; {@link Long#MAX_VALUE} when there is none. */
    public long idleNanos() {
        long next = wheel.nextDeadlineTick();
        return next == Long.MAX_VALUE ? next : Math.max(0, next * NANOS_A_MS - elapsedNanos());
    }

    /** What the clock that they go by says. */
    public long monoNanos() {
        return clock.monoNanos();
    }

    private long elapsedNanos() {
        return clock.monoNanos() - startNanos;
    }
}
