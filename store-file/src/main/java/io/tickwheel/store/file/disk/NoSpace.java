package io.tickwheel.store.file.disk;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Tells an error for want of room from all others. Java has no type for it, only the text of the operating system, which may
 * come in the language of the user: so where next to nothing is left, any error counts as this one. Room for one more open file is room too: like that on the disk it comes back.
 */
public final class NoSpace {

    /** With less left than this, nothing can be written that is worth mentioning. */
    static final long NOTHING_BYTES = 4_096;

    /** ENOSPC and EDQUOT of Linux and macOS, and what Windows says. */
    private static final List<String> TEXTS = List.of(
            "no space left on device",
            "disk quota exceeded",
            "disc quota exceeded",
            "there is not enough space on the disk");

    /** EMFILE and ENFILE: nothing was opened, so nothing was changed. */
    private static final List<String> DESCRIPTOR_TEXTS = List.of("too many open files");

    private NoSpace() {}

    /** Whether that is what an operation on a file failed for, when so much was left behind it. */
    public static boolean isCauseOf(Throwable failure, long usableBytes) {
        return !(failure instanceof TakenOverException)
                && (usableBytes < NOTHING_BYTES || isSaidBy(failure, TEXTS) || isOfDescriptors(failure));
    }

    /** Whether a file could not be opened because the process, or the system, has too many open. */
    public static boolean isOfDescriptors(Throwable failure) {
        return isSaidBy(failure, DESCRIPTOR_TEXTS);
    }

    private static boolean isSaidBy(@Nullable Throwable failure, List<String> texts) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String message = cause.getMessage();
            if (message != null) {
                String text = message.toLowerCase(Locale.ROOT);
                if (texts.stream().anyMatch(text::contains)) {
                    return true;
                }
            }
        }
        return false;
    }
}
