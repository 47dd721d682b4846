/**
 * The tables where timers stand: memtables and runs, with the state of each entry; and the queues and lanes that they are of. Owned by
 * the loop; the background reads what does not change any more. Nothing here knows which timer a key has, nor who loads.
 */
@NullMarked
package io.tickwheel.store.file.table;

import org.jspecify.annotations.NullMarked;
