/**
 * The calendar of one open store, for the loop of the engine and for no other thread: it decides commands, grants claims, and
 * answers when the log is durable. It stands on all other packages but the tools, and none of them knows it.
 */
@NullMarked
package io.tickwheel.store.file.calendar;

import org.jspecify.annotations.NullMarked;
