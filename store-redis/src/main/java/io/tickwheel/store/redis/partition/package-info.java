/**
 * The partitions, as one node works with them: commands on their way, leases, loaded timers and claims. Entered through
 * {@code Partitions}, in each turn, and {@code Commands}, for each command. Used by the loop only. Does not know the calendar that it works for.
 */
@NullMarked
package io.tickwheel.store.redis.partition;

import org.jspecify.annotations.NullMarked;
