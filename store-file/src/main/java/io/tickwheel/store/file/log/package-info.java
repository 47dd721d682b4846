/**
 * The commit log: frames, the segments that they are written into, how they are written and synced, and how they are read and checked
 * at an opening. The loop appends, the log's thread writes, and {@code CommitLog.Write} is all that both touch. Nothing here knows
 * what the records mean to the tables.
 */
@NullMarked
package io.tickwheel.store.file.log;

import org.jspecify.annotations.NullMarked;
