package io.tickwheel.engine;

import io.tickwheel.store.Durability;
import io.tickwheel.store.IdMismatchException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * On what condition a command is carried out, and when it is answered. Immutable and thread-safe; each {@code with} method gives a changed copy.
 *
 * @param expectedId the id that the timer must have, or the command fails with {@link IdMismatchException} and nothing is done; null for any. Versions
 *     begin anew once a key is forgotten, ids are never used again
 * @param durability what must be certain before it is answered; null for what the store gives anyway
 */
public record CommandOptions(
        @Nullable String expectedId, @Nullable Durability durability) {

    /** For whatever timer stands under the key, answered when it is as certain as the store makes it anyway. */
    public static final CommandOptions NONE = new CommandOptions(null, null);

    /** Only for the timer with that id. */
    public CommandOptions withExpectedId(String newExpectedId) {
        return new CommandOptions(Objects.requireNonNull(newExpectedId, "expectedId"), durability);
    }

    /** Answered when that much is certain. */
    public CommandOptions withDurability(Durability newDurability) {
        return new CommandOptions(expectedId, Objects.requireNonNull(newDurability, "durability"));
    }
}
