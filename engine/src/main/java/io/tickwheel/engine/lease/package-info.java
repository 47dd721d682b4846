/**
 * Leases and those who wait for them: polls, the queues in which they stand, the leases that are held, and consumers of this program.
 * Owned by the loop, where nothing else is said. Gets its timers from whoever claims them, and knows other nodes by two interfaces only.
 */
@NullMarked
package io.tickwheel.engine.lease;

import org.jspecify.annotations.NullMarked;
