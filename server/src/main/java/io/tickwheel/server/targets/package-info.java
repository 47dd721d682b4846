/**
 * The targets that a server brings along: HTTP callbacks and the log. They are called on the engine's loop and hand the work on at
 * once, HTTP to one event loop of its own, with a thread beside it that looks names up, the log to one thread. Knows the engine, and of the server only the texts of {@code wire}.
 */
@NullMarked
package io.tickwheel.server.targets;

import org.jspecify.annotations.NullMarked;
