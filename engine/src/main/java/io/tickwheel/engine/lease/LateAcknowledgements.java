package io.tickwheel.engine.lease;

import io.tickwheel.engine.Attempt;
import io.tickwheel.engine.Clock;
import io.tickwheel.engine.EngineListener;
import io.tickwheel.engine.LeaseGoneException;
import io.tickwheel.engine.attempt.Reasons;
import io.tickwheel.store.Answer;
import io.tickwheel.store.Calendar;
import io.tickwheel.store.Changed;
import io.tickwheel.store.CompleteCommand;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.PastAttempt;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.TimerView;
import java.time.Duration;
import java.util.Map;

/**
 * Acknowledgements of leases that were granted before this engine was opened, by a holder that is gone: the work was done, so the calendar completes the timer unless
 * it has been tried again. When the attempt began is not known any more; it is remembered as of the moment of the acknowledgement. Owned by the loop.
 */
final class LateAcknowledgements {

    private static final byte[] NOTHING = {};

    private final Calendar calendar;
    private final Clock clock;
    private final EngineListener listener;

    LateAcknowledgements(Calendar calendar, Clock clock, EngineListener listener) {
        this.calendar = calendar;
        this.clock = clock;
        this.listener = listener;
    }

    void acknowledge(LeaseId lease, Answer<Boolean> answer) {
        PastAttempt ended = Reasons.succeeded(lease.attempt(), clock.wallMs());
        CompleteCommand command =
                new CompleteCommand(lease.key(), lease.timer(), lease.attempt(), lease.nonce(), ended, null);
        calendar.complete(command, new Answer<>() {
            @Override
            public void accept(Changed changed) {
                TimerView timer = changed.timer();
                if (changed.outcome() == Changed.Outcome.CHANGED && timer != null) {
                    delivered(timer);
                    answer.accept(true);
                } else {
                    answer.fail(
                            new LeaseGoneException(
                                    lease.toString(),
                                    "was granted before a restart, and its timer has ended, was tried again, or is not due yet: it was rescheduled, or the clock set back"));
                }
            }

            @Override
            public void fail(StoreException reason) {
                answer.fail(
                        reason instanceof IdMismatchException
                                ? new LeaseGoneException(lease.toString(), "is of a timer that does not stand any more")
                                : reason);
            }
        });
    }

    private void delivered(TimerView timer) {
        listener.delivered(new Attempt(
                timer.key(),
                timer.id(),
                timer.version(),
                timer.attempts(),
                timer.dueAt(),
                timer.attemptAt(),
                Duration.between(timer.dueAt(), clock.now()),
                NOTHING,
                null,
                Map.of(),
                null));
    }
}
