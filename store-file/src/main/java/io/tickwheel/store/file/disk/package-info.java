/**
 * The directory of a store: the files by name, who owns it, the manifest that says what counts, what may be deleted, and the options
 * with which it is opened. The loop, the log's thread and the background use it, each for its own files. Nothing here knows what
 * stands in the log, the runs and the tables.
 */
@NullMarked
package io.tickwheel.store.file.disk;

import org.jspecify.annotations.NullMarked;
