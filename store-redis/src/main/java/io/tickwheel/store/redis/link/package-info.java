/**
 * The way to the servers: calls and their replies, connections that come and go, the masters and their slots, redirects. What stands
 * behind {@link io.tickwheel.store.redis.link.Link} belongs to the loop; threads of the network only fill its inbox. Knows neither
 * timers nor partitions, nor what a script does.
 */
@NullMarked
package io.tickwheel.store.redis.link;

import org.jspecify.annotations.NullMarked;
