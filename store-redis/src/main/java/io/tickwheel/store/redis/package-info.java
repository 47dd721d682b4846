/**
 * A calendar on Redis or Valkey, shared by several nodes. {@link io.tickwheel.store.redis.RedisTimerStore} opens it; the other public
 * classes are for operators. Only this package is for other modules: its sub-packages are the store's own, and none of them knows
 * a class of this one.
 */
@NullMarked
package io.tickwheel.store.redis;

import org.jspecify.annotations.NullMarked;
