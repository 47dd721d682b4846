package io.tickwheel.store.redis.faults;

import io.tickwheel.store.Cancelled;
import io.tickwheel.store.Scheduled;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreFullException;
import io.tickwheel.store.StoreGoneException;
import io.tickwheel.store.StoreUnavailableException;
import java.util.concurrent.CompletionException;

/**
 * How a command was answered.
 *
 * @param previous what a schedule found; {@code NONE} for all else
 * @param id of the timer that was made, or {@code -}
 */
record FaultAnswer(Kind kind, Scheduled.Previous previous, String id, long version) {

    enum Kind {
        /** The timer was made. */
        MADE,
        CANCELLED,
        LAST_ATTEMPT_RUNNING,
        TOO_LATE,
        NOT_FOUND,
        /** It may have been carried out or not. */
        UNKNOWN,
        /** It was not carried out, as the store has no room. */
        FULL,
        /** It was not carried out. */
        REFUSED
    }

    static final FaultAnswer UNKNOWN = plain(Kind.UNKNOWN);

    private static FaultAnswer plain(Kind kind) {
        return new FaultAnswer(kind, Scheduled.Previous.NONE, "-", 0);
    }

    boolean isUnknown() {
        return kind == Kind.UNKNOWN;
    }

    boolean isMade() {
        return kind == Kind.MADE;
    }

    static FaultAnswer of(Scheduled scheduled) {
        return new FaultAnswer(
                Kind.MADE,
                scheduled.previous(),
                scheduled.timer().id(),
                scheduled.timer().version());
    }

    static FaultAnswer of(Cancelled cancelled) {
        return plain(Kind.valueOf(cancelled.outcome().name()));
    }

    static FaultAnswer of(Throwable failure) {
        Throwable reason =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (reason instanceof StoreFullException) {
            return plain(Kind.FULL);
        }
        if (reason instanceof StoreGoneException gone) {
            return gone.outcomeUnknown() ? UNKNOWN : plain(Kind.REFUSED);
        }
        if (reason instanceof StoreUnavailableException unavailable) {
            return unavailable.outcomeUnknown() ? UNKNOWN : plain(Kind.REFUSED);
        }
        boolean unknown = reason instanceof StoreFailedException failed && failed.outcomeUnknown();
        return unknown ? UNKNOWN : plain(Kind.REFUSED);
    }

    String text() {
        return kind + " " + previous + " " + id + " " + version;
    }

    static FaultAnswer of(String[] words, int at) {
        return new FaultAnswer(
                Kind.valueOf(words[at]),
                Scheduled.Previous.valueOf(words[at + 1]),
                words[at + 2],
                Long.parseLong(words[at + 3]));
    }
}
