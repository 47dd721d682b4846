/**
 * Reads all that lies in a namespace and holds it against its layout. Blocks, has no loop, and changes nothing. Knows nothing of the nodes
 * that may be at work meanwhile.
 */
@NullMarked
package io.tickwheel.store.redis.check;

import org.jspecify.annotations.NullMarked;
