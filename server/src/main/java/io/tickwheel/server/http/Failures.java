package io.tickwheel.server.http;

import io.tickwheel.engine.ContendedException;
import io.tickwheel.engine.LeaseGoneException;
import io.tickwheel.engine.NotTouchableException;
import io.tickwheel.engine.OverloadedException;
import io.tickwheel.engine.QueueChangedException;
import io.tickwheel.engine.QueueNotPulledException;
import io.tickwheel.engine.QuotaExceededException;
import io.tickwheel.server.wire.Excerpt;
import io.tickwheel.server.wire.Problem;
import io.tickwheel.server.wire.ProblemCode;
import io.tickwheel.server.wire.ProblemException;
import io.tickwheel.server.wire.ShownTimer;
import io.tickwheel.store.IdMismatchException;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreFullException;
import io.tickwheel.store.StoreGoneException;
import io.tickwheel.store.StoreUnavailableException;
import io.tickwheel.store.TimerView;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns what went wrong into what the caller may know of it. */
final class Failures {

    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

    private final Readiness readiness;
    private final RandomKeys ids;
    private final Traffic traffic;

    Failures(Readiness readiness, RandomKeys ids, Traffic traffic) {
        this.readiness = readiness;
        this.ids = ids;
        this.traffic = traffic;
    }

    /** Who takes note of what is refused. */
    Traffic traffic() {
        return traffic;
    }

    Problem problem(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof ProblemException refused) {
            return refused.problem();
        }
        if (cause instanceof OverloadedException) {
            return new Problem(ProblemCode.OVERLOADED, "too many requests wait for the store, try again soon")
                    .withApplied(Problem.Applied.NO);
        }
        if (cause instanceof StoreFailedException failed) {
            return new Problem(ProblemCode.STORAGE_FAILED, "the storage failed, the server must be started again")
                    .withApplied(failed.outcomeUnknown() ? Problem.Applied.UNKNOWN : Problem.Applied.NO);
        }
        if (cause instanceof StoreFullException) {
            return new Problem(
                            ProblemCode.STORAGE_FULL,
                            "the store has no room for more timers; those that there are go on, try again later")
                    .withApplied(Problem.Applied.NO);
        }
        if (cause instanceof StoreGoneException gone) {
            return Readiness.gone(String.valueOf(gone.getMessage()))
                    .withApplied(gone.outcomeUnknown() ? Problem.Applied.UNKNOWN : Problem.Applied.NO);
        }
        if (cause instanceof StoreUnavailableException unavailable) {
            return unavailable(unavailable.outcomeUnknown());
        }
        if (cause instanceof QuotaExceededException) {
            return new Problem(ProblemCode.QUEUE_FULL, Excerpt.sentence(String.valueOf(cause.getMessage())))
                    .withApplied(Problem.Applied.NO);
        }
        if (cause instanceof QueueChangedException) {
            return new Problem(ProblemCode.QUEUE_CHANGED, Excerpt.sentence(String.valueOf(cause.getMessage())))
                    .withApplied(Problem.Applied.NO);
        }
        if (cause instanceof LeaseGoneException) {
            return new Problem(ProblemCode.LEASE_GONE, Excerpt.sentence(String.valueOf(cause.getMessage())))
                    .withApplied(Problem.Applied.NO);
        }
        if (cause instanceof QueueNotPulledException) {
            return new Problem(ProblemCode.QUEUE_NOT_PULLED, Excerpt.sentence(String.valueOf(cause.getMessage())))
                    .withApplied(Problem.Applied.NO);
        }
        if (cause instanceof IdMismatchException other) {
            return mismatch(other);
        }
        if (cause instanceof NotTouchableException refused) {
            return new Problem(
                    ProblemCode.NOT_TOUCHABLE,
                    Excerpt.sentence(String.valueOf(refused.getMessage())),
                    null,
                    Problem.Applied.NO,
                    null,
                    new ShownTimer(refused.timer(), readiness.durability()));
        }
        if (cause instanceof ContendedException) {
            return new Problem(ProblemCode.CONTENDED, Excerpt.sentence(String.valueOf(cause.getMessage())))
                    .withApplied(Problem.Applied.NO);
        }
        if (cause instanceof StoreException) {
            LOG.error("the store refused a command", cause);
            return new Problem(ProblemCode.STORAGE_FAILED, "the storage could not take the command")
                    .withApplied(Problem.Applied.UNKNOWN);
        }
        if (cause instanceof IllegalArgumentException) {
            String rule = cause.getMessage();
            return new Problem(
                    ProblemCode.OUT_OF_RANGE, Excerpt.sentence(rule == null ? "a value is out of range" : rule));
        }
        if (cause instanceof IllegalStateException && readiness.state() != Readiness.State.READY) {
            return Readiness.problem(readiness.state());
        }
        return internal(cause);
    }

    private Problem mismatch(IdMismatchException other) {
        TimerView timer = other.timer();
        return new Problem(
                ProblemCode.ID_MISMATCH,
                Excerpt.sentence(String.valueOf(other.getMessage())),
                null,
                Problem.Applied.NO,
                null,
                timer == null ? null : new ShownTimer(timer, readiness.durability()));
    }

    private static Problem unavailable(boolean outcomeUnknown) {
        return outcomeUnknown
                ? new Problem(
                                ProblemCode.STORAGE_UNAVAILABLE,
                                "the store did not answer in time, or not with the durability asked for: the command may"
                                        + " have been carried out, and may be lost again")
                        .withApplied(Problem.Applied.UNKNOWN)
                : new Problem(ProblemCode.STORAGE_UNAVAILABLE, "the store could not be reached in time, try again soon")
                        .withApplied(Problem.Applied.NO);
    }

    private Problem internal(Throwable cause) {
        String id = ids.next();
        LOG.error("internal failure {}", id, cause);
        return new Problem(ProblemCode.INTERNAL, "the server failed and logged it under " + id);
    }
}
