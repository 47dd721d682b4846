package io.tickwheel.engine;

import java.util.EnumSet;
import java.util.Set;

/**
 * What is to become of the settings of a queue. Immutable.
 *
 * @param replaces whether nothing stays of what is set
 * @param cleared what is not set any more
 * @param set what is set from now on, over all that
 */
public record QueueChange(boolean replaces, Set<QueueSettings.Field> cleared, QueueSettings set) {

    public QueueChange {
        cleared = Set.copyOf(cleared);
    }

    /** Sets what is set in {@code settings}; everything else stays as it is. */
    public static QueueChange set(QueueSettings settings) {
        return new QueueChange(false, Set.of(), settings);
    }

    /** Sets what is set in {@code settings}, and nothing else. */
    public static QueueChange replaceWith(QueueSettings settings) {
        return new QueueChange(true, Set.of(), settings);
    }

    /** Has no attempt of the queue start any more. Those that run go on. */
    public static QueueChange pause() {
        return set(QueueSettings.NONE.withPaused(true)).clearing(QueueSettings.Field.SLOW_START);
    }

    /** Has attempts of the queue start again, as many at once as there may be. */
    public static QueueChange resume() {
        return set(QueueSettings.NONE.withPaused(false)).clearing(QueueSettings.Field.SLOW_START);
    }

    /** Has attempts of the queue start again, few at first. */
    public static QueueChange resume(SlowStart slowStart) {
        return set(QueueSettings.NONE.withPaused(false).withSlowStart(slowStart));
    }

    /** With a field more that is not set any more. */
    public QueueChange clearing(QueueSettings.Field field) {
        Set<QueueSettings.Field> more = EnumSet.of(field);
        more.addAll(cleared);
        return new QueueChange(replaces, more, set);
    }

    /** What becomes of settings by this change. */
    public QueueSettings applyTo(QueueSettings settings) {
        QueueSettings kept = replaces ? QueueSettings.NONE : settings;
        for (QueueSettings.Field field : cleared) {
            kept = kept.with(field, null);
        }
        return set.over(kept);
    }
}
