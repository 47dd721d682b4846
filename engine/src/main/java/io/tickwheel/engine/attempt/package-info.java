/**
 * One attempt: where it goes, what its target is shown, how it ends, and what follows for its timer. Owned by the loop; only the
 * {@code Delivery} that a target is given, and handlers, are for other threads. Claims nothing, and knows no lease.
 */
@NullMarked
package io.tickwheel.engine.attempt;

import org.jspecify.annotations.NullMarked;
