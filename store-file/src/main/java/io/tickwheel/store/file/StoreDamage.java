package io.tickwheel.store.file;

import java.time.Instant;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Something in the directory of a store that was written and cannot be read back.
 *
 * @param file relative to the directory
 * @param offset where in the file the damage begins, in bytes
 * @param what what is damaged
 * @param timers how many timers it takes, where that is known; 0 when it takes none
 * @param firstDue no timer in it is due before; null when that is not known
 * @param lastDue no timer in it is due after; null when that is not known
 */
public record StoreDamage(
        String file,
        long offset,
        String what,
        OptionalLong timers,
        @Nullable Instant firstDue,
        @Nullable Instant lastDue) {

    static StoreDamage of(String file, long offset, String what) {
        return new StoreDamage(file, offset, what, OptionalLong.empty(), null, null);
    }

    /** A damage that takes no timer: what is damaged stands elsewhere too. */
    static StoreDamage harmless(String file, long offset, String what) {
        return new StoreDamage(file, offset, what, OptionalLong.of(0), null, null);
    }

    static StoreDamage ofTimers(String file, long offset, String what, long timers, long firstDueMs, long lastDueMs) {
        return new StoreDamage(
                file,
                offset,
                what,
                OptionalLong.of(timers),
                Instant.ofEpochMilli(firstDueMs),
                Instant.ofEpochMilli(lastDueMs));
    }

    StoreDamage withTimers(long number) {
        return new StoreDamage(file, offset, what, OptionalLong.of(number), firstDue, lastDue);
    }
}
