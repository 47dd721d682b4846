package io.tickwheel.engine;

/**
 * What became of the messages of a source since it was opened.
 *
 * @param scheduled those that are a timer now
 * @param known those that had come before, and changed nothing
 * @param refused those that no timer can be made of
 * @param postponed how often one could not be scheduled at the moment, and was tried again
 */
public record SourceCounts(long scheduled, long known, long refused, long postponed) {}
