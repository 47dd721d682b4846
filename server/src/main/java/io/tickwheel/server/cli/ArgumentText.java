package io.tickwheel.server.cli;

import io.tickwheel.server.config.Settings;
import org.jspecify.annotations.Nullable;

/** Whether the JVM could read the arguments of a command, which it does in the encoding of the locale. */
final class ArgumentText {

    /** What the JVM makes of bytes that are no character of it. */
    private static final char REPLACEMENT = '\uFFFD';

    private ArgumentText() {}

    /**
     * Says which argument is not what was typed; null when none is known to be. In UTF-8 somebody may mean the character itself. The argument is not repeated, as it may be secret.
     *
     * @param encoding null when it is not known
     */
    static @Nullable String complaint(String[] arguments, @Nullable String encoding) {
        if (encoding == null || encoding.equals("UTF-8")) {
            return null;
        }
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i].indexOf(REPLACEMENT) >= 0) {
                return "argument " + (i + 1) + " cannot be read, must be of " + Settings.charactersOf(encoding);
            }
        }
        return null;
    }
}
