package io.tickwheel.store.redis.loading;

import java.util.List;

/**
 * What the server saw of a piece.
 *
 * @param reachedMs up to where everything was looked at
 * @param mark behind what of that millisecond
 * @param touched the slices that the call has touched
 * @param timers those that it has brought
 */
public record Seen(long reachedMs, byte[] mark, List<String> touched, List<SeenTimer> timers) {}
