package io.tickwheel.wheel;

import org.jspecify.annotations.Nullable;

/** A task that runs again and again, never concurrently with itself, until it throws or is cancelled. */
final class RepeatingTask extends ScheduledTask<@Nullable Void> {
    private final DueNode place;
    private final Periodic.Rule rule;
    private final long periodNanos;
    // From the start of a run until the task waits for the next. A shutdown cancels it only while it waits.
    private volatile boolean running;

    RepeatingTask(
            WheelScheduledExecutor executor, DueNode node, long deadlineNanos, Periodic.Rule rule, long periodNanos) {
        super(executor, node, node, deadlineNanos);
        this.place = node;
        this.rule = rule;
        this.periodNanos = periodNanos;
    }

    @Override
    public void run() {
        running = true;
        if (!executor.mayRun(this)) {
            cancel(false);
        } else if (runAndReset()) {
            // At a fixed rate also when that has passed: runs that were missed are made up for.
            long from = rule == Periodic.Rule.FIXED_DELAY ? executor.elapsedNanos() : deadlineNanos();
            setDeadlineNanos(from + periodNanos);
            executor.repeat(this, place);
        }
    }

    /** Says that the task is about to wait for its next run. */
    void endRun() {
        running = false;
    }

    void cancelUnlessRunning() {
        if (!running) {
            cancel(false);
        }
    }

    @Override
    protected void done() {
        super.done();
        executor.ended(this);
    }

    @Override
    public boolean isPeriodic() {
        return true;
    }
}
