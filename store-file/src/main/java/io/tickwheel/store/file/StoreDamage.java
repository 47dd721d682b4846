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
        @Nullable Instant lastDue) {}
