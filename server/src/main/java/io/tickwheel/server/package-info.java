/**
 * The server as a whole: {@link io.tickwheel.server.Main} is the process, {@link io.tickwheel.server.Server} joins the HTTP edge,
 * the targets and the engine, and {@link io.tickwheel.server.MetricsPage} shows what was counted. These stand on top: no room below knows them. No
 * module depends on this one.
 */
@NullMarked
package io.tickwheel.server;

import org.jspecify.annotations.NullMarked;
