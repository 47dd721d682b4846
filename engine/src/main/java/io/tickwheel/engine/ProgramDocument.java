package io.tickwheel.engine;

import java.util.Objects;

/**
 * A text that a program keeps beside its timers. Immutable.
 *
 * @param id another one after each write
 * @param text as it was written
 */
public record ProgramDocument(String id, String text) {

    public ProgramDocument {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(text, "text");
    }
}
