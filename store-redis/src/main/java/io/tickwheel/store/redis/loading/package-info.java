/**
 * Which timers of which partition are to be loaded next: what was looked through, which lanes wait behind which bound, whose turn it is,
 * and for how many there is room. Used by the loop only. Asks no server and knows no commands: others carry out what it says.
 */
@NullMarked
package io.tickwheel.store.redis.loading;

import org.jspecify.annotations.NullMarked;
