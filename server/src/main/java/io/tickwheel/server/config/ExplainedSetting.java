package io.tickwheel.server.config;

/**
 * A setting as a server would have it. Immutable.
 *
 * @param name in a file
 * @param value that holds; of a secret that is set, that it is one
 * @param origin {@code default}, {@code environment} with the variable, or the file with the line
 * @param unit what the value is
 * @param absent what holds where it is not set
 */
public record ExplainedSetting(String name, String value, String origin, String unit, String absent) {}
