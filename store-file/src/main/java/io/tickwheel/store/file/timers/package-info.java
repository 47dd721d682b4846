/**
 * All timers that there are: their tables, the index by key, which are loaded, the counts, and the finished ones that are remembered.
 * Owned by the loop; a thread that opens a store, or a tool, builds them alone. Nothing here answers a caller or reads a clock.
 */
@NullMarked
package io.tickwheel.store.file.timers;

import org.jspecify.annotations.NullMarked;
