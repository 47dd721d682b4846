package io.tickwheel.benchmarks.wheel;

/** Timers of a facility that all share one task. */
final class FacilitySlots implements TimerSlots {

    private final TimerFacility facility;
    private final Runnable task;
    private final Object[] handles;

    FacilitySlots(TimerFacility facility, Runnable task, int count) {
        this.facility = facility;
        this.task = task;
        handles = new Object[count];
    }

    @Override
    public void schedule(int slot, long delayNanos) {
        handles[slot] = facility.schedule(task, delayNanos);
    }

    @Override
    public void cancel(int slot) {
        facility.cancel(handles[slot]);
    }

    @Override
    public int handleBytes() {
        return Integer.BYTES;
    }
}
