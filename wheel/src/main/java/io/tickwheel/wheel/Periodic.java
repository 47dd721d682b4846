package io.tickwheel.wheel;

import static io.tickwheel.wheel.TickClock.after;

/** A timeout that expires again and again, never while its task still runs, until it is cancelled or the task throws. */
final class Periodic extends TimerNode {
    /** When the next run is due. */
    enum Rule {
        /** At the next multiple of the period since the first run: runs that were missed are left out. */
        FIXED_RATE,
        /** At the next multiple of the period, even if it has passed: runs that were missed are made up for. */
        FIXED_RATE_CATCHING_UP,
        /** A period after the end of this run. */
        FIXED_DELAY
    }

    private final Rule rule;
    private final long periodNanos;
    // Of the run that is due or under way, since the start of the timer. Guarded by the stripe's lock.
    private long deadlineNanos;

    Periodic(Stripe stripe, Runnable task, Rule rule, long periodNanos, long deadlineNanos) {
        super(stripe, task);
        this.rule = rule;
        this.periodNanos = periodNanos;
        this.deadlineNanos = deadlineNanos;
    }

    @Override
    void runTask(Runnable claimed) {
        try {
            claimed.run();
        } catch (Throwable thrown) {
            if (afterRun(End.FAILED)) {
                stripe.core.ended(1);
            }
            stripe.core.taskFailed(this, thrown);
            return;
        }
        boolean again;
        try {
            again = stripe.scheduleAgain(this, claimed);
        } catch (StackOverflowError | OutOfMemoryError scarce) {
            if (afterRun(End.FAILED)) {
                stripe.core.ended(1);
                stripe.core.taskFailed(this, scarce);
            } else {
                reject(scarce);
            }
            return;
        }
        if (!again) {
            // Most often it was cancelled, and this does nothing; else the timer was closed, and this ends it.
            cancel();
        }
    }

    /** Moves the deadline to the next run and returns it. */
    long nextDeadlineNanos(long elapsedNanos) {
        deadlineNanos = switch (rule) {
            case FIXED_DELAY -> after(elapsedNanos, periodNanos);
            case FIXED_RATE_CATCHING_UP -> after(deadlineNanos, periodNanos);
            case FIXED_RATE -> {
                long late = Math.max(0, elapsedNanos - deadlineNanos);
                yield after(deadlineNanos + late / periodNanos * periodNanos, periodNanos);
            }
        };
        return deadlineNanos;
    }

    @Override
    void onRejected(Runnable rejected, Throwable cause) {
        stripe.core.ended(1);
        super.onRejected(rejected, cause);
    }

    @Override
    void onRescheduled(long newDeadlineNanos) {
        deadlineNanos = newDeadlineNanos;
    }

    @Override
    boolean cancelRepetition() {
        return afterRun(End.CANCELLED);
    }

    @Override
    boolean repeats() {
        return true;
    }

    @Override
    State onceStarted() {
        return State.PENDING;
    }
}
