package io.tickwheel.store;

/**
 * How many timers of a queue are in which state.
 *
 * @param queue its name
 * @param pending waiting, retries included
 * @param claimed with a running attempt
 * @param dead given up, and kept
 */
public record QueueCounts(String queue, long pending, long claimed, long dead) {}
