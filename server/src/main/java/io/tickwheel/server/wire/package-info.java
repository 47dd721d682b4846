/**
 * What the contract with callers looks like: schedule bodies, lines of an export, timers, problems, and the texts in them, such as
 * durations, times and excerpts. Reads and writes, and does nothing else: no class here owns a thread, a connection or a file, and each
 * instance is for one thread. The ground floor: knows no other room.
 */
@NullMarked
package io.tickwheel.server.wire;

import org.jspecify.annotations.NullMarked;
