/**
 * The HTTP edge: from the bytes of a request to the call of the engine, and from its answer to the bytes of the response. All of it
 * belongs to the event loop that serves the connections, except {@link io.tickwheel.server.http.Readiness}, which any thread may
 * tell and ask, and {@link io.tickwheel.server.http.RandomKeys}. Knows neither the targets nor the settings nor the counting of
 * metrics.
 */
@NullMarked
package io.tickwheel.server.http;

import org.jspecify.annotations.NullMarked;
