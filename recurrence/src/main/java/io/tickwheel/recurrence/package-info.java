/**
 * When a recurring timer is due: the arithmetic, and nothing else. {@link io.tickwheel.recurrence.Recurrence} is the whole of a plan,
 * {@link io.tickwheel.recurrence.Cron} the part of it that knows calendars and zones. Nothing here has a clock, a thread or a store: all times are
 * parameters.
 */
@NullMarked
package io.tickwheel.recurrence;

import org.jspecify.annotations.NullMarked;
