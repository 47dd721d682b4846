/**
 * A target that adds timers to Redis Streams, on one server, behind sentinels or in a cluster. Knows neither stores nor the server; how a timer becomes a message is {@code target.message}'s.
 */
@NullMarked
package io.tickwheel.target.redis;

import org.jspecify.annotations.NullMarked;
