package io.tickwheel.server.config;

/**
 * What is logged, and in which form. Immutable.
 *
 * @param isJson whether each line is an object, and no text
 * @param hasAccess whether there is a line for each answer
 */
public record LogConfig(boolean isJson, boolean hasAccess) {

    /** Text, and no line for each answer. */
    public static final LogConfig DEFAULT = new LogConfig(false, false);
}
