package io.tickwheel.store.file.tools;

import io.tickwheel.store.file.StoreDamage;
import java.time.Instant;
import java.util.OptionalLong;

/** The kinds of {@link StoreDamage} that are found. */
final class Damages {

    private Damages() {}

    /** A damage of which it is not known how many timers it takes. */
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

    /** The same damage, which takes so many timers. */
    static StoreDamage withTimers(StoreDamage damage, long number) {
        return new StoreDamage(
                damage.file(),
                damage.offset(),
                damage.what(),
                OptionalLong.of(number),
                damage.firstDue(),
                damage.lastDue());
    }
}
