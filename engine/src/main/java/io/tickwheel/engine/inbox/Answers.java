package io.tickwheel.engine.inbox;

import io.tickwheel.store.Answer;
import io.tickwheel.store.StoreException;
import io.tickwheel.store.StoreFailedException;
import io.tickwheel.store.StoreFullException;
import io.tickwheel.store.StoreGoneException;
import io.tickwheel.store.StoreUnavailableException;

/** What several commands do with answers. */
public final class Answers {

    private Answers() {}

    /** Nobody waits for it. */
    public static <T> Answer<T> ignored() {
        return new Answer<>() {

            @Override
            public void accept(T result) {}

            @Override
            public void fail(StoreException reason) {}
        };
    }

    /** The reason of a command that failed before it asked for anything but a look. */
    public static StoreException notApplied(StoreException reason) {
        return withOutcome(reason, false);
    }

    /** The reason of a command of which one step failed after another was made. */
    public static StoreException perhapsApplied(StoreException reason) {
        return withOutcome(reason, true);
    }

    private static StoreException withOutcome(StoreException reason, boolean isUnknown) {
        String why = String.valueOf(reason.getMessage());
        if (reason instanceof StoreFailedException failed && failed.outcomeUnknown() != isUnknown) {
            return new StoreFailedException(why, isUnknown, failed);
        }
        if (reason instanceof StoreGoneException gone && gone.outcomeUnknown() != isUnknown) {
            return new StoreGoneException(why, isUnknown);
        }
        boolean isOther = reason instanceof StoreUnavailableException away && away.outcomeUnknown() != isUnknown;
        return isOther || (isUnknown && reason instanceof StoreFullException)
                ? new StoreUnavailableException(why, isUnknown)
                : reason;
    }
}
