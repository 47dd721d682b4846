package io.tickwheel.engine.attempt;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.Destination;
import io.tickwheel.engine.QueueSettings;
import io.tickwheel.engine.TimerContent;
import io.tickwheel.engine.inbox.EngineOptions;
import io.tickwheel.engine.rule.DueTimes;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.ClaimedTimer;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.PendingTimer;
import io.tickwheel.store.TimerState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What follows from the end of an attempt: for the timer, in the calendar, and for whoever is told. Owned by the loop. */
public final class AttemptEnds {

    private final Calendar calendar;
    private final Clock clock;
    private final EngineOptions options;
    private final FailureLog failures;
    private long deaths;

    public AttemptEnds(Calendar calendar, Clock clock, EngineOptions options, FailureLog failures) {
        this.calendar = calendar;
        this.clock = clock;
        this.options = options;
        this.failures = failures;
    }

    /** Returns whether the outcome counts. */
    public boolean settle(InFlight ended, InFlight.Outcome outcome) {
        switch (outcome) {
            case ACKNOWLEDGED -> {
                boolean counts = calendar.finish(ended.timer, TimerState.COMPLETED, past(ended, ""));
                options.listener().delivered(ended.attempt());
                return counts;
            }
            case REJECTED -> giveUp(ended, ended.reason);
            case POSTPONED -> postpone(ended);
            case FAILED -> {
                if (ended.attempt().number() >= ended.retry.maxAttempts()) {
                    giveUp(ended, ended.reason);
                } else {
                    tryAgain(ended);
                }
            }
            case UNUSED -> throw new IllegalArgumentException("an attempt that never began has no end");
        }
        return true;
    }

    /** What a timer is to deliver; null when that cannot be read: that timer is dead then, as no later attempt could, and kept. */
    public @Nullable TimerContent contentOf(ClaimedTimer claimed) {
        try {
            return TimerContent.decode(claimed.content());
        } catch (RuntimeException e) {
            Destination unknown = new Destination("unknown", "");
            Attempt attempt =
                    Attempts.of(claimed.view(), TimerContent.EMPTY, unknown, clock.wallMs(), QueueSettings.NONE);
            String reason = "the content cannot be read: " + e.getMessage();
            PastAttempt past = Reasons.past(attempt, clock.wallMs(), 0, 0, reason, "");
            options.listener().ended(attempt, past);
            bury(claimed.handle(), attempt, past, reason);
            return null;
        }
    }

    private void tryAgain(InFlight failed) {
        int number = failed.attempt().number();
        long delayMs = failed.retry.delayMs(number, options.random().getAsLong());
        long waitMs =
                failed.delay != null ? DueTimes.ceilMs(failed.delay) : Math.max(delayMs, DueTimes.ceilMs(failed.wait));
        long nextMs = notBeforeDue(failed, DueTimes.ceilMs(clock.now()) + waitMs);
        if (nextMs > failed.expiresAtMs) {
            // No attempt could start by then.
            expire(failed, past(failed, failed.reason));
        } else {
            calendar.retry(failed.timer, nextMs, past(failed, failed.reason));
            failed(failed.attempt(), failed.reason);
        }
    }

    private void postpone(InFlight postponed) {
        long nextMs = notBeforeDue(postponed, Math.max(clock.wallMs(), postponed.untilMs()));
        if (nextMs > postponed.expiresAtMs) {
            expire(postponed, past(postponed, postponed.reason));
        } else {
            calendar.postpone(postponed.timer, nextMs);
            options.listener().postponed(postponed.attempt(), Instant.ofEpochMilli(nextMs), postponed.reason);
        }
    }

    /** The clock may have been set back behind the due time since the attempt started. */
    private static long notBeforeDue(InFlight ended, long atMs) {
        return Math.max(atMs, ended.attempt().dueAt().toEpochMilli());
    }

    /**
     * Ends a timer of which no attempt may start any more.
     *
     * @param ended the attempt that ends; null when none was made
     */
    public void expire(InFlight late, @Nullable PastAttempt ended) {
        calendar.finish(late.timer, TimerState.EXPIRED, ended, counts -> {
            if (counts) {
                options.listener().expired(late.attempt());
            } else {
                failed(late.attempt(), "it was too late");
            }
        });
    }

    public void giveUp(InFlight ended, String reason) {
        bury(ended.timer, ended.attempt(), past(ended, reason), reason);
    }

    private void bury(PendingTimer timer, Attempt attempt, PastAttempt past, String reason) {
        calendar.finish(timer, TimerState.DEAD, past, counts -> {
            if (counts) {
                died(attempt, reason);
            } else {
                failed(attempt, reason);
            }
        });
    }

    private PastAttempt past(InFlight ended, String reason) {
        PastAttempt past = ended.past(reason, clock.monoNanos());
        options.listener().ended(ended.attempt(), past);
        return past;
    }

    /** How many timers were given up so far. */
    public long deaths() {
        return deaths;
    }

    private void died(Attempt attempt, String reason) {
        deaths++;
        failures.died(attempt, reason, clock.monoNanos());
        options.listener().dead(attempt, reason);
    }

    private void failed(Attempt attempt, String reason) {
        failures.failed(attempt, reason, clock.monoNanos());
        options.listener().failed(attempt, reason);
    }
}
