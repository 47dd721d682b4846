package io.tickwheel.store.file;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of the salvage of a damaged store. Where the log lost something, a timer that was cancelled, completed or replaced
 * there can be delivered again.
 *
 * @param damages what could not be read; when the next opening mends all of it, or there is nothing, nothing was changed
 * @param quarantine where the originals are of all that was replaced, relative to the directory of the store; null when
 *     nothing was changed
 * @param kept how many timers are there now, live and dead
 * @param lost how many timers are known to be lost; there may be more when {@code damages} has one without a number
 */
public record StoreSalvage(
        List<StoreDamage> damages, @Nullable String quarantine, long kept, long lost) {

    /** Copies the list. */
    public StoreSalvage {
        damages = List.copyOf(damages);
    }
}
