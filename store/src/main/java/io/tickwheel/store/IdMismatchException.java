package io.tickwheel.store;

import org.jspecify.annotations.Nullable;

/** A command was meant for the timer with a certain id, and another one stands under the key, or none, or it was changed since it was looked at: nothing was done. */
public final class IdMismatchException extends StoreException {

    private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial") // No one sends it over a wire.
    private final @Nullable TimerView timer;

    /**
     * @param expectedId the id that the command was meant for
     * @param timer what stands under the key; null when no timer is known
     */
    public IdMismatchException(TimerKey key, String expectedId, @Nullable TimerView timer) {
        super("the timer " + key.key() + " of queue " + key.queue() + " " + fault(expectedId, timer));
        this.timer = timer;
    }

    private static String fault(String expectedId, @Nullable TimerView timer) {
        if (timer == null) {
            return "has no id, as none is known, must have " + expectedId;
        }
        return timer.id().equals(expectedId)
                ? "has changed since it was looked at, must be as it was then"
                : "has the id " + timer.id() + ", must have " + expectedId;
    }

    /** What stands under the key; null when no timer is known. */
    public @Nullable TimerView timer() {
        return timer;
    }
}
