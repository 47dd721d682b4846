/**
 * The settings of queues: how they lie in the calendar, when nodes look at them, how they are changed, and the quotas that they hold.
 * Owned by the loop, where nothing else is said. Knows nothing of attempts, and not what follows from a setting.
 */
@NullMarked
package io.tickwheel.engine.queue;

import org.jspecify.annotations.NullMarked;
