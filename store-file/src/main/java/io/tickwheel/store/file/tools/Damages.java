package io.tickwheel.store.file.tools;

import io.tickwheel.store.file.StoreDamage;
import io.tickwheel.store.file.disk.BadPart;
import io.tickwheel.store.file.disk.DataDirectory;
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

    /** What the disk cannot read; the timers that this takes are told beside it. */
    static StoreDamage unread(DataDirectory directory, BadPart part) {
        return harmless(directory.name(part.file()), part.from(), part.text());
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
