/**
 * From due to done: takes what the calendar has loaded, claims it within the credits, and gives it to a target, a plan or a poll. Owned by
 * the loop. Stands on the rooms that say what may start and what follows, and does not know who asks for leases from afar.
 */
@NullMarked
package io.tickwheel.engine.delivery;

import org.jspecify.annotations.NullMarked;
