/**
 * When and how timers move from memory to runs, so that the log before them can be dropped; and whether the disk has room for that and
 * for more timers. The loop takes the steps, the background executor writes. Nothing here knows commands or their answers.
 */
@NullMarked
package io.tickwheel.store.file.checkpoint;

import org.jspecify.annotations.NullMarked;
