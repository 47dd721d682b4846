package io.tickwheel.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a list.
 *
 * @param timers in the order of due time, then age; may be fewer than the limit, or none, although more follow: when many
 *     timers had to be passed over
 * @param next where the next page goes on; null when there is none. The next page may be empty
 */
public record TimerPage(List<TimerView> timers, @Nullable TimerCursor next) {

    public TimerPage {
        timers = List.copyOf(timers);
    }
}
