/**
 * Structures outside the Java heap: memory in chunks and pages, the tables, heaps and queues that lie in it, and the key index.
 * Nothing here knows a timer, a file or a thread; each structure belongs to one owner at a time, most often the loop.
 */
@NullMarked
package io.tickwheel.store.file.memory;

import org.jspecify.annotations.NullMarked;
