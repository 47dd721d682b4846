package io.tickwheel.server.targets;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Tells a failure for want of a socket, of which this process or its system has too many open, from those of a destination. */
final class OpenFiles {

    private OpenFiles() {}

    /** EMFILE and ENFILE, for which Java has no type, only the text of the system; as a cause at any depth. */
    static boolean areTooMany(Throwable failure) {
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String text = cause.getMessage();
            if (text != null && text.toLowerCase(Locale.ROOT).contains("too many open files")) {
                return true;
            }
        }
        return false;
    }
}
