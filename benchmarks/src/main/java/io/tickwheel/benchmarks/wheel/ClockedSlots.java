package io.tickwheel.benchmarks.wheel;

/** A driven wheel as an event loop uses it: one look at the clock per timer, and an advance when the tick has changed. */
final class ClockedSlots implements TimerSlots {

    static final long TICK_NANOS = 1_000_000;

    private static final int LIMIT = 1_000;

    private final DrivenWheel wheel;
    private final long originNanos = System.nanoTime();
    private long tick;

    ClockedSlots(DrivenWheel wheel) {
        this.wheel = wheel;
    }

    @Override
    public void schedule(int slot, long delayNanos) {
        long now = System.nanoTime() - originNanos;
        long nowTick = now / TICK_NANOS;
        if (nowTick != tick) {
            tick = nowTick;
            advance(nowTick);
        }
        wheel.schedule(slot, (now + delayNanos + TICK_NANOS - 1) / TICK_NANOS);
    }

    @Override
    public void cancel(int slot) {
        wheel.cancel(slot);
    }

    @Override
    public int handleBytes() {
        return wheel.handleBytes();
    }

    private void advance(long nowTick) {
        boolean more = true;
        while (more) {
            more = wheel.advance(nowTick, LIMIT);
        }
    }
}
