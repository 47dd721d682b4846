/**
 * One attempt: where it goes, what its target is shown, how it ends, and what follows for its timer. Owned by the loop; only the {@code
 * Delivery} that a target is given, and handlers, are for other threads. Does not know who claimed the timer, nor whether it is leased.
 */
@NullMarked
package io.tickwheel.engine.attempt;

import org.jspecify.annotations.NullMarked;
