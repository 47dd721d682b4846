/** A calendar on Redis or Valkey, shared by several nodes. */
@NullMarked
package io.tickwheel.store.redis;

import org.jspecify.annotations.NullMarked;
