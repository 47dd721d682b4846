/**
 * Timers in memory. From the bottom up: three wheels that know no clock and no thread, {@link HierarchicalWheel}, {@link LongWheel} and
 * {@link HashedWheel}; {@link WheelTimer}, which many threads may use, over stripes of the first; and two faces of that one,
 * {@link KeyedTimer} and {@link WheelScheduledExecutor}. Nothing here survives the process, and nothing here knows the rest of Tickwheel.
 *
 * <p>"Any thread may call this", or "thread-safe", is written where that is so. The parts of a wheel, levels, slots and lists, belong to
 * whoever owns the wheel: one thread, or one lock, such as that of a stripe.
 */
@NullMarked
package io.tickwheel.wheel;

import org.jspecify.annotations.NullMarked;
