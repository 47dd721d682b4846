package io.tickwheel.engine;

import io.tickwheel.store.StoredTimer;
import io.tickwheel.store.TimerView;
import org.jspecify.annotations.Nullable;

/**
 * A timer with what it is to deliver. Immutable, but for the arrays, which must not be changed.
 *
 * @param timer how it stands
 * @param content what it is to deliver, and where and how; null when that is not kept any more, as of a timer that was cancelled, completed or
 *     expired, or cannot be read
 * @param unreadable the bytes of a content that cannot be read, as another version of the engine has written it; else empty
 */
public record TimerDetails(TimerView timer, @Nullable TimerContent content, byte[] unreadable) {

    private static final byte[] NOTHING = {};

    /** Reads a timer as a store has it. */
    public static TimerDetails of(StoredTimer stored) {
        byte[] bytes = stored.content();
        if (bytes.length == 0) {
            return new TimerDetails(stored.view(), null, NOTHING);
        }
        try {
            return new TimerDetails(stored.view(), TimerContent.decode(bytes), NOTHING);
        } catch (RuntimeException e) {
            // Shown as it is: whoever asks wants to know what is there, and its attempts say why they fail.
            return new TimerDetails(stored.view(), null, bytes);
        }
    }
}
