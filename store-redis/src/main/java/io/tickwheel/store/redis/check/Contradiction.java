package io.tickwheel.store.redis.check;

import java.util.OptionalInt;

/**
 * Something that must not be so.
 *
 * @param partition which one; empty for a key that is of none
 * @param key of Redis
 * @param field the part of the key; empty for the key as a whole. The zero byte between queue and key may be in it
 * @param what is wrong
 */
public record Contradiction(OptionalInt partition, String key, String field, String what) {}
