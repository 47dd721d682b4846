package io.tickwheel.store;

/**
 * A lane with timers that are due and not loaded.
 *
 * @param lane which one
 * @param sinceMs no timer of the lane that waits so is due before this, in milliseconds since the epoch
 */
public record WaitingLane(Lane lane, long sinceMs) {}
