/**
 * The bytes of one timer, of its end, and of what is remembered of it, as they stand in logs and runs; its public id, and the hash of
 * its key. Values and pure functions, for any thread. Nothing here knows where a record stands, in a file or in memory.
 */
@NullMarked
package io.tickwheel.store.file.record;

import org.jspecify.annotations.NullMarked;
