/**
 * What is loaded next: the merge of all tables in the order of time, and the way of each lane that is behind. Owned by the loop. It asks
 * its target for room and hands over what is loaded; it knows neither keys, nor claims, nor the log.
 */
@NullMarked
package io.tickwheel.store.file.loading;

import org.jspecify.annotations.NullMarked;
