/**
 * The files of the schedule log: runs, sorted by due time, and the progress that says which of them count and what has ended of each.
 * A run is written once, by the background, and never changed, so that the loop and the background may read it at once. Nothing here
 * knows which of the timers still count.
 */
@NullMarked
package io.tickwheel.store.file.run;

import org.jspecify.annotations.NullMarked;
