/**
 * Where everything lies in Redis and in what form: keys, fields, members, slices and records, as {@code docs/redis-layout.md} has it.
 * Values and pure functions for any thread. Knows no connection, no node and no time.
 */
@NullMarked
package io.tickwheel.store.redis.layout;

import org.jspecify.annotations.NullMarked;
