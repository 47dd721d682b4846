package io.tickwheel.store.file.disk;

import java.nio.file.Path;

/** A part of a file that the disk does not give back, in bytes: from {@code from} up to {@code to}. */
public record BadPart(Path file, long from, long to) {

    /** What to tell a person of it, beside the file and where it begins. */
    public String text() {
        return "the disk cannot read bytes " + from + " to " + to;
    }
}
