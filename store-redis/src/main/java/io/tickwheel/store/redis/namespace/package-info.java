/**
 * What a node has to know of the namespace as a whole: whether it is there, in which format, which nodes are alive, and what time it is.
 * Used by the loop, and before there is one. Knows nothing of what a node does with its partitions.
 */
@NullMarked
package io.tickwheel.store.redis.namespace;

import org.jspecify.annotations.NullMarked;
