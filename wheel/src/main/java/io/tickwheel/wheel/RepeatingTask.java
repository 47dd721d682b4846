package io.tickwheel.wheel;

import org.jspecify.annotations.Nullable;

/** A task that runs again and again, never concurrently with itself, until it throws or is cancelled. */
final class RepeatingTask extends ScheduledTask<@Nullable Void> {
    private final DueNode place;
    private final Periodic.Rule rule;
    private final long periodNanos;
    // From the start of a run until the task waits for the next. A shutdown cancels it only while it waits.
    private volatile boolean running;

    RepeatingTask(ScheduledTasks tasks, DueNode node, long deadlineNanos, Periodic.Rule rule, long periodNanos) {
        super(tasks, node, node, deadlineNanos);
        this.place = node;
        this.rule = rule;
        this.periodNanos = periodNanos;
    }

    @Override
    public void run() {
        running = true;
        if (!tasks.mayRun(this)) {
            cancel(false);
        } else if (runAndReset()) {
            // At a fixed rate also when that has passed: runs that were missed are made up for.
            long from = rule == Periodic.Rule.FIXED_DELAY ? tasks.elapsedNanos() : deadlineNanos();
            setDeadlineNanos(from + periodNanos);
            // In this order: a shutdown writes the phase and then cancels the tasks that do not run.
            running = false;
            tasks.repeat(this, place);
        }
    }

    @Override
    void cancelUnlessRunning() {
        if (!running) {
            cancel(false);
        }
    }

    @Override
    protected void done() {
        super.done();
        tasks.ended(this);
    }

    @Override
    public boolean isPeriodic() {
        return true;
    }
}
