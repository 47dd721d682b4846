/**
 * What only reads: lists and counts over all partitions, which the loop asks and waits for, and questions that block, for whoever has no
 * loop. Knows nothing of loading and claims, nor of who owns what.
 */
@NullMarked
package io.tickwheel.store.redis.query;

import org.jspecify.annotations.NullMarked;
