/**
 * Commands on many timers: each bulk run is a timer itself, is delivered as to a target, and goes through the calendar page by page. Owned
 * by the loop. Knows neither lanes nor how anything else is delivered.
 */
@NullMarked
package io.tickwheel.engine.bulk;

import org.jspecify.annotations.NullMarked;
