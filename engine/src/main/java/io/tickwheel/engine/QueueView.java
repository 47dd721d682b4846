package io.tickwheel.engine;

import io.tickwheel.store.QueueCounts;
import org.jspecify.annotations.Nullable;

/**
 * A queue as it stood at one moment. Immutable and thread-safe.
 *
 * @param queue its name
 * @param settings what is set of it, by {@link Tickwheel#changeQueue}
 * @param configured what the program or its configuration says, where nothing is set
 * @param id of its settings, new with each change; null when nothing was ever set
 * @param counts its timers
 */
public record QueueView(
        String queue,
        QueueSettings settings,
        QueueSettings configured,
        @Nullable String id,
        QueueCounts counts) {

    /** What applies to the queue, where anything does beside what is for every queue. */
    public QueueSettings effective() {
        return settings.over(configured);
    }
}
