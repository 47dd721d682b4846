/**
 * Leases between nodes: what consumers here borrow of others, what is lent to the consumers of others, and what is forwarded to the node
 * that holds a lease. Owned by the loop. No room but that of the loop knows it.
 */
@NullMarked
package io.tickwheel.engine.neighbour;

import org.jspecify.annotations.NullMarked;
