/**
 * Lists and counts over all tables in the order of due time, a piece at a time between the other work of the loop, which owns them.
 * They only look: nothing here changes a timer.
 */
@NullMarked
package io.tickwheel.store.file.query;

import org.jspecify.annotations.NullMarked;
