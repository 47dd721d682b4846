package io.tickwheel.engine;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How far a {@link Bulk} has come. Immutable and thread-safe.
 *
 * @param state whether it goes on
 * @param matched how many timers it has found that were asked for
 * @param changed how many of them were changed; 0 of a dry run
 * @param passed how many of them were not, as by then they had ended, or were others
 * @param reasons why the last attempts of the timers found had failed, and of how many; at most {@value #MOST_REASONS} reasons, and all others under
 *     {@value #OTHER_REASONS}. Of timers that have failed only
 * @param startedAt when it was asked for
 * @param endedAt when it ended; null while it goes on
 * @param failure why it has failed or was stopped, in words; null when it did not
 */
public record BulkProgress(
        State state,
        long matched,
        long changed,
        long passed,
        Map<String, Long> reasons,
        Instant startedAt,
        @Nullable Instant endedAt,
        @Nullable String failure) {

    public static final int MOST_REASONS = 100;
    public static final String OTHER_REASONS = "other reasons";

    /** Whether a run goes on. */
    public enum State {
        RUNNING,
        /** It has come to the end of what was asked for. */
        DONE,
        /** It was stopped by somebody. */
        STOPPED,
        /** Its engine closed. It goes on when an engine is opened on the store, or at once on another node. */
        SUSPENDED,
        /** The store could not do what it needed. */
        FAILED
    }

    public BulkProgress {
        reasons = Collections.unmodifiableMap(new LinkedHashMap<>(reasons));
    }
}
